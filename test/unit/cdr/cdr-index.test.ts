import { describe, expect, test } from 'vitest'
import type { MemoryPorts } from '../../support/memory/memory-ports.ts'
import type { CdrPart } from '../../../core/cdr/cdr.ts'
import { indexUpdate } from '../../../core/cdr/indexing/index-update.ts'
import type { CdrKey, CdrStore } from '../../../core/cdr/cdr-store.ts'
import type { CdrUpdate } from '../../../core/cdr/cdr-update.ts'
import { DomainError } from '../../../core/errors.ts'
import { aCdrHarness } from '../../support/platform/cdr-harness.ts'
import { aPostUpdate, aRecordingUpdate, anEndUpdate } from '../../support/records/cdr-update.ts'
import { type Moment, dying } from '../../support/processes/dying.ts'
import { gone } from '../../support/stores/flaky.ts'
import { aDomain, aRecording } from '../../support/records/records.ts'

const [one, two, three] = ['leg-1', 'leg-2', 'leg-3']
const domain = 'a.example.com'

/** Ports whose CDR store counts what it is given, and refuses some of it. */
function watched(ports: MemoryPorts, refuses: (part: CdrPart) => boolean = () => false) {
  const calls: CdrPart[][] = []
  const cdrs = {
    ...ports.cdrs,
    index: async (parts: readonly CdrPart[]) => {
      calls.push([...parts])
      await ports.cdrs.index(parts.filter((part) => !refuses(part)))
      return parts.filter(refuses).map((part) => ({ part, reason: 'mapper_parsing_exception' }))
    },
  }
  return { ports: { ...ports, cdrs }, calls }
}

describe('updates of CDRs', () => {
  test('the end of a leg becomes its CDR', async () => {
    const pipeline = await aCdrHarness()

    expect(await pipeline.take([anEndUpdate({ uuid: one })])).toEqual([])

    expect(pipeline.cdrs()).toMatchObject([
      {
        uuid: one,
        domain_name: domain,
        leg: 'a',
        destination_number: '9196',
        billsec: 58,
        created_time: 1_768_478_340_000,
      },
    ])
  })

  test('the fields of a post win over those of an event, in either order', async () => {
    const event = anEndUpdate({
      fields: { variable_duration: '1', variable_note: 'event', 'Caller-Source': 'mod_sofia' },
    })
    const post = aPostUpdate({ fields: { variable_duration: '2', variable_note: 'post' } })

    for (const updates of [
      [event, post],
      [post, event],
      [event, post, event],
    ]) {
      const pipeline = await aCdrHarness()
      for (const each of updates) expect(await pipeline.take([each])).toEqual([])
      expect(pipeline.cdrs()).toMatchObject([{ duration: 2, source: 'mod_sofia', variables: { note: 'post' } }])
    }
  })

  test("fields of a synthetic end are replaced by the engine's own report", async () => {
    const pipeline = await aCdrHarness()

    await pipeline.take([anEndUpdate()])
    await pipeline.take([
      anEndUpdate({ id: 'made', fields: { Synthetic: 'true', variable_hangup_cause: 'NORMAL_UNSPECIFIED' } }),
    ])

    expect(pipeline.cdrs()).toMatchObject([{ hangup_cause: 'NORMAL_CLEARING' }])
  })

  test('all CDR messages of a batch are written to the store together', async () => {
    const pipeline = await aCdrHarness()
    const { ports, calls } = watched(pipeline.ports)
    const updates = Array.from({ length: 10 }, (_, index) => anEndUpdate({ uuid: `leg-${index}` }))

    expect(await pipeline.take(updates, { ports })).toEqual([])

    expect(calls.map((parts) => parts.length)).toEqual([10])
    expect(pipeline.cdrs()).toHaveLength(10)
  })

  test('a batch in which every CDR message is repeated changes nothing more', async () => {
    const updates: CdrUpdate[] = [
      anEndUpdate({ uuid: one }),
      aPostUpdate({ uuid: one }),
      aRecordingUpdate({ uuid: one }),
      anEndUpdate({ uuid: two }),
    ]
    const [once, twice] = [await aCdrHarness(), await aCdrHarness()]
    for (const pipeline of [once, twice]) await pipeline.ports.recordings.expect(aRecording({ domain, uuid: one }))

    for (const each of updates) await once.take([each])
    for (const each of updates) {
      await twice.take([each, each])
      await twice.take([each])
    }

    expect(twice.cdrs()).toEqual(once.cdrs())
  })
})

describe('whose a leg is', () => {
  test('a CDR post belongs to the first of its domain names that is a tenant', async () => {
    const pipeline = await aCdrHarness()
    const fields = { variable_domain_name: 'nobody.example.com', variable_w_domain: 'b.example.com' }

    await pipeline.take([aPostUpdate({ fields })])

    expect(pipeline.cdrs()).toMatchObject([{ domain_name: 'b.example.com' }])
  })

  test.each([
    ['a post that names no tenant', aPostUpdate({ fields: { variable_domain_name: '', 'Caller-Context': 'public' } })],
    ['recordings of a CDR that is not there', aRecordingUpdate()],
  ] as const)('%s leaves nothing and does not come again', async (_what, update: CdrUpdate) => {
    const pipeline = await aCdrHarness()

    expect(await pipeline.take([update])).toEqual([])

    expect(pipeline.cdrs()).toEqual([])
  })

  test('CDR messages without a tenant are counted', async () => {
    const pipeline = await aCdrHarness()

    await pipeline.take([aPostUpdate({ fields: { variable_domain_name: '', 'Caller-Context': 'public' } })])

    expect(pipeline.log.lines).toMatchObject([{ level: 'warn', message: 'CDR without domain', keys: { kind: 'post' } }])
  })

  test.each([
    ['is being deleted', async ({ domains }: MemoryPorts) => void (await domains.beginDeletion(domain, 1))],
    [
      'was deleted a moment ago',
      async ({ domains }: MemoryPorts) => {
        await domains.beginDeletion(domain, 1)
        await domains.endDeletion(domain)
      },
    ],
    [
      'was deleted and made again',
      async ({ domains }: MemoryPorts) => {
        await domains.beginDeletion(domain, 1)
        await domains.endDeletion(domain)
        await domains.create(aDomain({ name: domain, createdAt: 9_999_999_999_999 }))
      },
    ],
  ])('the end of a call of a domain that %s becomes its CDR', async (_what, change) => {
    const pipeline = await aCdrHarness()
    await change(pipeline.ports)

    expect(await pipeline.take([anEndUpdate()])).toEqual([])

    expect(pipeline.cdrs()).toMatchObject([{ domain_name: domain }])
  })

  const madeAt = 1_768_478_400_000

  async function aTenant(given: { readonly wasOthers: boolean; readonly began?: number; readonly posted?: number }) {
    const { wasOthers, began = madeAt - 3 * 3_600_000, posted = madeAt + 9_000 } = given
    const pipeline = await aCdrHarness()
    if (wasOthers) await pipeline.ports.recordings.leave({ domain: 'new.example.com', retentionDays: 9, leftAt: 1 })
    await pipeline.ports.domains.create(aDomain({ name: 'new.example.com', createdAt: madeAt }))
    const created = { 'Caller-Channel-Created-Time': `${began}000` }
    await pipeline.take([
      aPostUpdate({ occurredAt: posted, fields: { ...created, variable_domain_name: 'new.example.com' } }),
    ])
    return pipeline.cdrs()
  }

  test('the first posts of a new tenant are its own though the clock of the engine is three hours slow', async () => {
    expect(await aTenant({ wasOthers: false })).toMatchObject([
      { created_time: madeAt, variables: { engine_time: '2026-01-15T09:00:00.000Z' } },
    ])
  })

  test('a post of an earlier tenant of the name keeps its time, by which the later tenant does not find it', async () => {
    expect(await aTenant({ wasOthers: true })).toMatchObject([{ created_time: madeAt - 3 * 3_600_000 }])
  })

  test('a post of an earlier tenant keeps its time also when it is too old to be believed', async () => {
    const [began, posted] = [madeAt - 26 * 86_400_000, madeAt + 5 * 86_400_000]

    expect(await aTenant({ wasOthers: true, began, posted })).toMatchObject([{ created_time: began }])
    expect(await aTenant({ wasOthers: false, began, posted })).toMatchObject([{ created_time: posted }])
  })

  test.each([true, false])(
    'a leg of a later tenant whose engine is slow keeps the time that the connector corrected (post first: %s)',
    async (isPostFirst) => {
      const [pipeline, name] = [await aCdrHarness(), 'new.example.com']
      await pipeline.ports.recordings.leave({ domain: name, retentionDays: 9, leftAt: 1 })
      await pipeline.ports.domains.create(aDomain({ name, createdAt: madeAt - 9_000 }))
      const created = { 'Caller-Channel-Created-Time': `${madeAt - 3 * 3_600_000}000` }
      const post = aPostUpdate({ occurredAt: madeAt, fields: { ...created, variable_domain_name: name } })
      const corrected = {
        'Caller-Channel-Created-Time': `${madeAt}000`,
        variable_engine_time: '2026-01-15T09:00:00.000Z',
      }
      const event = anEndUpdate({ domain: name, occurredAt: madeAt, fields: corrected })
      for (const update of isPostFirst ? [post, event] : [event, post]) await pipeline.take([update])

      expect(pipeline.cdrs()).toMatchObject([{ created_time: madeAt }])
    },
  )

  test('a time that the connector corrected wins over that of the post, in either order', async () => {
    const event = anEndUpdate({ fields: { variable_engine_time: '2026-01-15T11:00:00.000Z' } })
    const post = aPostUpdate({ fields: { 'Caller-Channel-Created-Time': `${madeAt - 600_000}000` } })
    for (const updates of [
      [event, post],
      [post, event],
    ]) {
      const pipeline = await aCdrHarness()
      for (const one of updates) await pipeline.take([one])

      expect(pipeline.cdrs()).toMatchObject([{ created_time: 1_768_478_340_000 }])
    }
  })

  test('a post is accepted for a tenant that is being deleted, but not for a deleted one', async () => {
    const pipeline = await aCdrHarness()
    await pipeline.ports.domains.beginDeletion(domain, 1)
    await pipeline.take([aPostUpdate({ uuid: one })])
    await pipeline.ports.domains.endDeletion(domain)
    await pipeline.take([aPostUpdate({ uuid: two })])

    expect(pipeline.cdrs().map(({ uuid }) => uuid)).toEqual([one])
  })

  test('legs of two tenants with one uuid are two CDRs', async () => {
    const pipeline = await aCdrHarness()

    await pipeline.takeAll([anEndUpdate(), anEndUpdate({ id: 'other', domain: 'b.example.com' })])

    expect(
      pipeline
        .cdrs()
        .map(({ domain_name }) => domain_name)
        .toSorted(),
    ).toEqual(['a.example.com', 'b.example.com'])
  })
})

describe('the recordings of a leg', () => {
  const recording = aRecording({ domain, uuid: one, name: 'call.wav' })

  test('recordings appear in the CDR of the other leg if the end of the call shows that it was the recorded one', async () => {
    const pipeline = await aCdrHarness()
    await pipeline.ports.recordings.expect(recording)
    const places: CdrKey[] = []
    const setRecordings: CdrStore['setRecordings'] = async (place) => {
      places.push(place)
      return place.leg === 'b'
    }

    await indexUpdate(
      { ...pipeline.ports, cdrs: { ...pipeline.ports.cdrs, setRecordings } },
      aRecordingUpdate({ uuid: one, leg: 'a' }),
    )

    expect(places.map(({ leg }) => leg)).toEqual(['a', 'b'])
    expect(new Set(places.map(({ uuid, created_time }) => `${uuid} ${created_time}`)).size).toBe(1)
  })

  test('recordings that exist when the leg ends are in its CDR', async () => {
    const pipeline = await aCdrHarness()
    await pipeline.ports.recordings.expect(recording)

    await pipeline.take([anEndUpdate({ uuid: one })])

    expect(pipeline.cdrs()).toMatchObject([{ recordings: [{ name: 'call.wav', state: 'expected', size: 0 }] }])
  })

  test('later changes of a recording appear in the CDR when they are reported', async () => {
    const pipeline = await aCdrHarness()
    await pipeline.ports.recordings.expect(recording)
    await pipeline.take([anEndUpdate({ uuid: one })])
    await pipeline.ports.recordings.claim(recording, 'me', { now: 1, until: 2 })
    const object = { size: 7, sha256: '0'.repeat(64), contentType: 'audio/wav', storedAt: 3 }
    await pipeline.ports.recordings.markStored(recording, 'me', object)

    await pipeline.take([aRecordingUpdate({ uuid: one })])

    expect(pipeline.cdrs()).toMatchObject([
      { recordings: [{ name: 'call.wav', state: 'stored', size: 7, contentType: 'audio/wav' }] },
    ])
  })

  test('recordings that are reported before the leg ends are in its CDR after the end', async () => {
    const pipeline = await aCdrHarness()
    await pipeline.ports.recordings.expect(recording)

    await pipeline.take([aRecordingUpdate({ uuid: one }), anEndUpdate({ uuid: one })])

    expect(pipeline.cdrs()).toMatchObject([{ recordings: [{ name: 'call.wav' }] }])
  })

  test('the recordings of another tenant with the same uuid are not in the CDR', async () => {
    const pipeline = await aCdrHarness()
    await pipeline.ports.recordings.expect({ ...recording, domain: 'b.example.com' })

    await pipeline.take([anEndUpdate({ uuid: one })])

    expect(pipeline.cdrs()[0]).not.toHaveProperty('recordings')
  })
})

describe('what goes wrong', () => {
  test('a malformed message is redelivered alone, and the others are indexed', async () => {
    const pipeline = await aCdrHarness()

    const again = await pipeline.take([
      '{"version":9}',
      anEndUpdate({ uuid: one }),
      'no json',
      anEndUpdate({ uuid: two }),
    ])

    expect(again).toEqual(['{"version":9}', 'no json'])
    expect(pipeline.cdrs()).toHaveLength(2)
  })

  test('a leg that the store refuses is logged with its reason and redelivered without blocking others', async () => {
    const pipeline = await aCdrHarness()
    const { ports } = watched(pipeline.ports, ({ cdr }) => cdr.uuid === one)
    const updates = [
      anEndUpdate({ uuid: one }),
      aRecordingUpdate({ uuid: one }),
      anEndUpdate({ uuid: two }),
      anEndUpdate({ uuid: three }),
    ]

    expect(await pipeline.take(updates, { ports })).toEqual([updates[0]?.id])

    expect(pipeline.cdrs().map(({ uuid }) => uuid)).toEqual([two, three])
    expect(pipeline.log.lines).toMatchObject([
      { level: 'error', message: 'CDR refused', keys: { kind: 'event', reason: 'mapper_parsing_exception' } },
    ])
  })

  test('a leg without a usable time is refused', async () => {
    const pipeline = await aCdrHarness()
    const update = anEndUpdate({ occurredAt: 0, fields: { 'Caller-Channel-Created-Time': '0' } })
    await pipeline.ports.domains.create(aDomain({ name: 'old.example.com', createdAt: 0 }))

    expect(await pipeline.take([{ ...update, domain: 'old.example.com' }])).toEqual([update.id])
  })

  test('F66 during an outage of the search store CDR messages are redelivered in order within each leg, and none is lost', async () => {
    const pipeline = await aCdrHarness()
    let isAway = true
    const index = (parts: readonly CdrPart[]) =>
      isAway
        ? Promise.reject(new DomainError('search_unavailable', 'the search store does not answer'))
        : pipeline.ports.cdrs.index(parts)
    const ports = { ...pipeline.ports, cdrs: { ...pipeline.ports.cdrs, index } }
    const updates = [anEndUpdate({ uuid: one }), aPostUpdate({ uuid: one }), anEndUpdate({ uuid: two })]
    const ids = updates.map(({ id }) => id)

    for (let hours = 0; hours < 10; hours += 1) expect(await pipeline.take(updates, { ports })).toEqual(ids)
    isAway = false
    expect(await pipeline.take(updates, { ports })).toEqual([])

    expect(
      pipeline
        .cdrs()
        .map(({ uuid }) => uuid)
        .toSorted(),
    ).toEqual([one, two])
  })

  test.each([
    ['domains', 'read'],
    ['recordings', 'listRecorded'],
    ['recordings', 'list'],
  ] as const)('while %s cannot be read, what needs them comes again', async (port, method) => {
    const pipeline = await aCdrHarness()
    let isGone = true
    const ports = { ...pipeline.ports, [port]: gone(pipeline.ports[port] as never, method as never, () => isGone) }
    const updates = [aPostUpdate({ uuid: one }), aPostUpdate({ uuid: two })]
    for (const uuid of [one, two]) await pipeline.ports.recordings.expect(aRecording({ domain, uuid }))

    expect(await pipeline.take(updates, { ports })).toEqual(updates.map(({ id }) => id))
    isGone = false
    expect(await pipeline.take(updates, { ports })).toEqual([])

    expect(pipeline.cdrs()).toHaveLength(2)
  })

  test('F67 the CDR of a leg with very many fields contains a limited number of them', async () => {
    const pipeline = await aCdrHarness()
    const fields = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`variable_n${index}`, 'x'.repeat(9_000)]),
    )

    expect(await pipeline.take([anEndUpdate({ fields })])).toEqual([])

    expect(JSON.stringify(pipeline.cdrs()).length).toBeLessThan(200_000)
  })

  test('a function that is killed before or after any of its calls leaves exactly one complete CDR for each leg', async () => {
    const updates: CdrUpdate[] = [
      anEndUpdate({ uuid: one }),
      aPostUpdate({ uuid: one }),
      aRecordingUpdate({ uuid: one }),
      anEndUpdate({ uuid: two }),
    ]
    const harness = async () => {
      const pipeline = await aCdrHarness()
      await pipeline.ports.recordings.expect(aRecording({ domain, uuid: one }))
      return pipeline
    }
    const whole = await harness()
    const counting = dying(whole.ports)
    await whole.take(updates, { ports: counting.ports })
    const moments = Array.from({ length: counting.calls() }, (_, index) => index + 1).flatMap((call): Moment[] => [
      { call, side: 'before' },
      { call, side: 'after' },
    ])

    expect(moments.length).toBeGreaterThan(10)
    for (const moment of moments) {
      const pipeline = await harness()
      await pipeline.take(updates, { moment })
      await pipeline.takeAll(updates)
      expect(pipeline.cdrs(), JSON.stringify(moment)).toEqual(expect.arrayContaining(whole.cdrs()))
      expect(pipeline.cdrs()).toHaveLength(2)
    }
  })
})
