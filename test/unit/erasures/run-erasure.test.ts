import { expect, it } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import type { Cdr } from '../../../core/cdr/cdr.ts'
import { indexUpdate } from '../../../core/cdr/indexing/index-update.ts'
import { beginErasure } from '../../../core/erasures/begin-erasure.ts'
import { deleteCall } from '../../../core/erasures/erase-calls.ts'
import { DomainError } from '../../../core/errors.ts'
import { erasureSteps } from '../../../core/erasures/erasure.ts'
import { readErasure } from '../../../core/erasures/read-erasure.ts'
import { type ErasurePorts, runErasure } from '../../../core/erasures/run-erasure.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'
import { aCdr } from '../../support/records/cdrs.ts'
import { aPostUpdate, anEndUpdate } from '../../support/records/cdr-update.ts'
import { aDelivery, aDomain, aRecording, anAccount, anEvent, anExport } from '../../support/records/records.ts'

const [domain, foreign] = ['a.example.com', 'b.example.com']
const ukParameters = { 'country-code': '44' }
const person = '+442071838750'

/** A domain with a call of a person, a call of others, and what was made of both; a second domain with the same. */
async function aPlatform() {
  const clock = movableClock()
  const ports = memoryPorts({ clock, random: systemRandomness })
  for (const name of [domain, foreign]) {
    await ports.domains.create(aDomain({ name, parameters: ukParameters, createdAt: 1 }))
    await ports.accounts.create(anAccount({ domain: name, login: '1000', parameters: { 'vm-enabled': 'false' } }), 9)
    await ports.accounts.create(anAccount({ domain: name, login: '1001', numbers: ['1001'] }), 9)
    await fill(name)
  }

  async function fill(name: string) {
    const at = clock.now() - 60_000
    const cdrs: Partial<Cdr>[] = [
      { uuid: 'called', caller_id_number: '1000', destination_number: '02071838750' },
      { uuid: 'calling', caller_id_number: '00442071838750', destination_number: '1000' },
      { uuid: 'of others', caller_id_number: '1000', destination_number: '1001' },
      { uuid: 'in a variable', caller_id_number: '1', variables: { sip_from_uri: '442071838750@carrier.example' } },
    ]
    const parts = cdrs.map((cdr) => ({
      source: 'event' as const,
      cdr: aCdr({ domain_name: name, created_time: at, presence_id: `1000@${name}`, ...cdr }),
    }))
    await ports.cdrs.index(parts)
    for (const uuid of ['called', 'of others']) {
      const recording = aRecording({ domain: name, uuid, id: 'r1', startedAt: at, name: `${uuid}.wav` })
      await ports.recordings.expect(recording)
    }
    await ports.recordings.expect(aRecording({ domain: name, uuid: 'calling', id: 'held', startedAt: at }))
    await ports.recordings.setHold({ domain: name, uuid: 'calling', id: 'held' }, true)
    const named = anEvent({ domain: name, id: 'named', uuid: 'x', fields: { 'Caller-Caller-ID-Number': person } })
    const other = anEvent({ domain: name, id: 'other', uuid: 'y', fields: { 'Caller-Caller-ID-Number': '1001' } })
    const taken = await ports.eventLogWriter.take(name, 2, 0)
    await ports.eventLogWriter.write(
      taken,
      [named, other].map((event, index) => ({ event, sequence: taken.first + index, isWanted: true, deliveries: [] })),
    )
    const given = { domain: name, hookId: 'h' }
    await ports.deliveries.create(aDelivery({ ...given, id: 'of the event', eventId: 'named', uuid: 'x' }))
    await ports.deliveries.create(aDelivery({ ...given, id: 'of the call', eventId: 'gone', uuid: 'called' }))
    const attempts = [{ at: 1, durationMs: 1, replySnippet: 'thanks for 020 7183 8750, 02071838750!' }]
    await ports.deliveries.create(
      aDelivery({ ...given, id: 'answered', eventId: 'z', uuid: 'z', attempts, state: 'delivered' }),
    )
    await ports.deliveries.create(aDelivery({ ...given, id: 'of others', eventId: 'other', uuid: 'y' }))
    await ports.exports.create(anExport({ domain: name, createdAt: clock.now() }))
  }

  const begin = (asked: { number?: string; account?: string }, caller: string | null = domain) =>
    beginErasure(ports, { caller: { domain: caller }, domain, since: 0 }, asked, { clock, random: systemRandomness })
  const run = (given: Partial<ErasurePorts> = {}, ms = 60_000) =>
    runErasure({ ...ports, ...given }, ports.erasureQueue.queued.at(-1) ?? { domain, id: '' }, {
      clock,
      until: clock.now() + ms,
    })
  const kept = (name = domain) => ({
    cdrs: [...ports.state.cdrs.values()].flatMap(({ cdr }) => (cdr.domain_name === name ? [cdr.uuid] : [])),
    recordings: [...ports.state.recordings.values()].flatMap(({ domain: of, uuid, state }) =>
      of === name && state !== 'deleted' ? [uuid] : [],
    ),
    events: ports.state.eventLogs.get(name)?.events.map(({ event }) => event.id),
    payloads: [...ports.state.deliveryEvents.values()].flatMap((one) => (one.domain === name ? [one.event.id] : [])),
    deliveries: [...ports.state.deliveries.values()].flatMap((one) => (one.domain === name ? [one.id] : [])),
    exports: [...ports.state.exports.values()].filter((job) => job.domain === name).length,
  })
  return { ports, clock, begin, run, kept }
}

const left = {
  cdrs: ['of others'],
  recordings: ['of others', 'calling'],
  events: ['other'],
  payloads: ['other'],
  deliveries: ['of others'],
  exports: 0,
}
const counts = { cdrs: 3, recordings: 1, held: 1, events: 2, deliveries: 3, exports: 1, voicemails: 0 }

it('an erasure removes what names a number in any spelling, counts it, and touches nothing else', async () => {
  const { begin, run, kept, ports } = await aPlatform()
  const before = kept(foreign)

  const { jobId } = await begin({ number: '020 7183 8750' })
  expect(await readErasure(ports.erasures, { domain, since: 0 }, jobId)).toMatchObject({ state: 'queued' })
  expect(await run()).toBe('done')

  expect(kept()).toEqual(left)
  expect(kept(foreign)).toEqual(before)
  expect(await readErasure(ports.erasures, { domain, since: 0 }, jobId)).toMatchObject({ state: 'done', counts })
  expect(await ports.erasures.read({ domain, id: jobId })).not.toHaveProperty('party')
})

it('an erasure that is done again finds nothing, and its repeated message does nothing', async () => {
  const { begin, run, ports } = await aPlatform()
  await begin({ number: person })
  await run()
  expect(await run()).toBe('over')

  const { jobId } = await begin({ number: person })
  expect(await run()).toBe('done')
  const { counts: found } = await readErasure(ports.erasures, { domain, since: 0 }, jobId)
  expect(Object.values(found).every((count) => count === 0)).toBe(true)
})

it.each(erasureSteps)(
  'an erasure that is killed after the step %s goes on from there to the same end',
  async (step) => {
    const { begin, run, kept, ports } = await aPlatform()
    const { jobId } = await begin({ number: person })
    const replace: ErasurePorts['erasures']['replace'] = async (job) => {
      const before = await ports.erasures.read(job)
      if (before?.step === step) throw new Error('killed')
      return ports.erasures.replace(job)
    }

    await expect(run({ erasures: { ...ports.erasures, replace } })).rejects.toThrow('killed')
    expect(await run()).toBe('done')
    expect(kept()).toEqual(left)
    expect(await readErasure(ports.erasures, { domain, since: 0 }, jobId)).toMatchObject({ state: 'done' })
  },
)

it('an erasure whose time is over is queued again, and done by the next run', async () => {
  const { begin, run, kept, ports } = await aPlatform()
  await begin({ number: person })

  expect(await run({}, 0)).toBe('queued again')
  expect(ports.erasureQueue.queued).toHaveLength(2)
  await run()
  expect(kept()).toEqual(left)
})

it('recordings that a mark alone speaks of are removed: of a deleted call, and once a hold is lifted', async () => {
  const { ports, clock, begin, run, kept } = await aPlatform()
  const startedAt = clock.now() - 60_000
  for (const [uuid, id] of [
    ['called', 'named'],
    ['calling', 'named'],
  ] as const) {
    await ports.recordings.expect(aRecording({ domain, uuid, id, startedAt, name: `${person}.wav` }))
  }
  await ports.recordings.setHold({ domain, uuid: 'calling', id: 'named' }, true)
  await deleteCall({ ...ports, clock }, { domain }, 'called')

  const first = await begin({ number: person })
  await run()
  expect(await readErasure(ports.erasures, { domain, since: 0 }, first.jobId)).toMatchObject({
    counts: { recordings: 1, held: 2 },
  })
  expect(await ports.recordings.read({ domain, uuid: 'called', id: 'named' })).toMatchObject({ state: 'deleted' })

  await ports.recordings.setHold({ domain, uuid: 'calling', id: 'named' }, false)
  await begin({ number: person })
  await run()
  expect(await ports.recordings.read({ domain, uuid: 'calling', id: 'named' })).toMatchObject({
    state: 'deleted',
    name: 'erased',
  })
  expect(kept().recordings).toEqual(['called', 'of others', 'calling'])
})

it('an erasure whose CDRs cannot be removed fails, and does not go round for ever', async () => {
  const { ports, begin, run } = await aPlatform()
  await begin({ number: person })

  await expect(run({ cdrs: { ...ports.cdrs, remove: async () => 0 } })).rejects.toMatchObject({
    code: 'search_unavailable',
  })
})

it('a delivery under way is not lost to the words of a receiver, and one that has ended is removed', async () => {
  const { ports, begin, run, kept } = await aPlatform()
  const attempts = [{ at: 1, durationMs: 1, replySnippet: `no ${person}` }]
  for (const state of ['pending', 'failed'] as const) {
    const given = { domain, hookId: 'h', id: state, eventId: 'z', uuid: 'z', attempts, state }
    await ports.deliveries.create(aDelivery(given))
  }
  await begin({ number: person })
  await run()

  expect(kept().deliveries).toEqual(['of others', 'pending'])
})

it('the file of an export goes before its job, so that an interrupted erasure finds it again', async () => {
  const { begin, run, kept } = await aPlatform()
  await begin({ number: person })
  const remove = async () => {
    throw new Error('killed')
  }

  await expect(run({ exportFiles: { remove } })).rejects.toThrow('killed')
  expect(kept().exports).toBe(1)
})

it('of two runs of one erasure, the one that comes second to record a page stops', async () => {
  const { begin, run, ports } = await aPlatform()
  await begin({ number: person })
  const mark: ErasurePorts['erasures']['mark'] = async (...given) => {
    await ports.erasures.mark(...given)
    await run()
  }

  expect(await run({ erasures: { ...ports.erasures, mark } })).toBe('overtaken')
})

it('the erasure of an account removes its calls, its recordings, and all messages of its mailbox', async () => {
  const { begin, run, kept, ports } = await aPlatform()
  const recording = aRecording({ domain, uuid: 'without CDR', id: 'r', presenceId: `1000@${domain}`, name: 'x.wav' })
  await ports.recordings.expect(recording)
  ports.engine.answer = () => ({ state: 'done', text: '+OK 2\n' })

  const { jobId } = await begin({ account: '1000' })
  expect(await run()).toBe('done')

  expect(kept()).toMatchObject({ cdrs: [], recordings: ['calling'], events: ['named', 'other'] })
  expect(ports.engine.given.map(({ command }) => command)).toEqual([
    { kind: 'erase-messages', login: '1000', callers: 'all' },
    { kind: 'erase-messages', login: '1001', callers: ['1000'] },
  ])
  expect(await readErasure(ports.erasures, { domain, since: 0 }, jobId)).toMatchObject({
    counts: { cdrs: 4, recordings: 3, held: 1, voicemails: 4 },
  })
  expect(await ports.recordings.read(recording)).toMatchObject({ state: 'deleted', name: 'erased' })
  expect((await ports.recordings.read(recording))?.presenceId).toBeUndefined()
})

it('messages that a number has left are removed from every mailbox of the domain, once the engine is there', async () => {
  const { begin, run, ports } = await aPlatform()
  await begin({ number: person })
  ports.engine.answer = () => ({ state: 'unsent', reason: 'disconnected' })
  await expect(run()).rejects.toMatchObject({ code: 'engine_unavailable' })

  ports.engine.answer = () => ({ state: 'done', text: '+OK 1\n' })
  expect(await run()).toBe('done')
  expect(ports.engine.given.at(-1)?.command).toMatchObject({ kind: 'erase-messages', login: '1001' })
  expect(ports.engine.given.at(-2)?.command).toMatchObject({ kind: 'erase-messages', login: '1000' })
  expect(ports.engine.given.at(-1)?.command).toHaveProperty('callers', expect.arrayContaining([person, '02071838750']))
})

it('nothing of an earlier tenant of the name is erased', async () => {
  const { ports, clock, run, kept } = await aPlatform()
  const deps = { clock, random: systemRandomness }
  const caller = { caller: { domain }, domain, since: clock.now() }
  await beginErasure(ports, caller, { number: person }, deps)
  await run()

  expect(kept()).toMatchObject({ cdrs: kept(foreign).cdrs, recordings: kept(foreign).recordings })
})

it.each([
  [{}, 'missing_field'],
  [{ number: '1', account: '1000' }, 'invalid_field'],
  [{ account: '1000@b.example.com' }, 'invalid_field'],
  [{ account: '.' }, 'invalid_field'],
  [{ account: '-' }, 'invalid_field'],
  [{ account: '@a.example.com' }, 'invalid_field'],
  [{ number: ' - ' }, 'invalid_field'],
])('an erasure of %j is refused with %s', async (asked, code) => {
  const { begin } = await aPlatform()

  await expect(begin(asked)).rejects.toMatchObject({ code })
})

it('a domain whose parameter "erasure" is "root" leaves the right to erase to root', async () => {
  const { begin, ports } = await aPlatform()
  const found = await ports.domains.read(domain)
  if (found === undefined) throw new Error('no domain')
  ports.state.domains.set(domain, { ...found, parameters: { erasure: 'root' } })

  await expect(begin({ number: person })).rejects.toMatchObject({ code: 'permission_denied' })
  expect(await begin({ number: person }, null)).toHaveProperty('jobId')
})

it('a domain may ask for 30 erasures an hour', async () => {
  const { begin } = await aPlatform()
  for (let asked = 0; asked < 30; asked += 1) await begin({ number: person })

  await expect(begin({ number: person })).rejects.toMatchObject({ code: 'rate_limited' })
})

it('an erasure that cannot be queued ends, so that no job keeps its party', async () => {
  const { ports, clock } = await aPlatform()
  const send = async () => {
    throw new DomainError('store_unavailable', 'the queue does not answer')
  }
  const given = { caller: { domain }, domain, since: 0 }
  const begun = beginErasure(
    { ...ports, erasureQueue: { send } },
    given,
    { number: person },
    {
      clock,
      random: systemRandomness,
    },
  )

  await expect(begun).rejects.toMatchObject({ code: 'store_unavailable' })
  expect([...ports.state.erasures.values()]).toMatchObject([{ state: 'done', version: 2 }])
  expect(JSON.stringify([...ports.state.erasures.values()])).not.toContain('2071838750')
})

it('an erasure is not shown to another domain, nor to a later one of the name', async () => {
  const { begin, ports, clock } = await aPlatform()
  const { jobId } = await begin({ number: person })

  for (const scope of [
    { domain: foreign, since: 0 },
    { domain, since: clock.now() + 1 },
  ]) {
    await expect(readErasure(ports.erasures, scope, jobId)).rejects.toMatchObject({ code: 'not_found' })
  }
})

it('a deleted call takes the CDRs of all its legs, whichever is named, and leaves its recordings', async () => {
  const { ports, clock, kept } = await aPlatform()
  const at = clock.now() - 60_000
  const legs = [
    aCdr({ uuid: 'a', created_time: at }),
    aCdr({ uuid: 'b', leg: 'b', parent_uuid: 'a', created_time: at }),
  ]
  await ports.cdrs.index(legs.map((cdr) => ({ source: 'event', cdr })))

  expect(await deleteCall({ ...ports, clock }, { domain }, 'b')).toBe(2)
  expect(kept().cdrs).not.toContain('a')
  await expect(deleteCall({ ...ports, clock }, { domain }, 'a')).rejects.toMatchObject({ code: 'not_found' })
  expect(await deleteCall({ ...ports, clock }, { domain }, 'called')).toBe(1)
  expect(kept().recordings).toContain('called')
  expect(kept(foreign).cdrs).toContain('called')
})

it('the deletion of a call that fails half way is repeated by the same request, since the named leg goes last', async () => {
  const { ports, clock, kept } = await aPlatform()
  const at = clock.now() - 60_000
  const legs = [
    aCdr({ uuid: 'a', created_time: at }),
    aCdr({ uuid: 'b', leg: 'b', parent_uuid: 'a', created_time: at }),
  ]
  await ports.cdrs.index(legs.map((cdr) => ({ source: 'event', cdr })))
  const removals: unknown[] = []
  const remove: typeof ports.cdrs.remove = async (plan, most) => {
    removals.push(plan)
    if (removals.length === 2) throw new DomainError('search_unavailable', 'conflict')
    return ports.cdrs.remove(plan, most)
  }
  const tools = { ...ports, clock, cdrs: { ...ports.cdrs, remove } }

  await expect(deleteCall(tools, { domain }, 'b')).rejects.toMatchObject({ code: 'search_unavailable' })
  expect(await deleteCall(tools, { domain }, 'b')).toBe(1)
  expect(kept().cdrs).not.toContain('a')
  expect(kept().cdrs).not.toContain('b')
})

it('no late CDR brings a deleted call back: of the leg itself, or of one that was created for it', async () => {
  const { ports, clock, kept } = await aPlatform()
  const [uuid, joined] = ['c0ffee00-0000-4000-8000-00000000000a', 'c0ffee00-0000-4000-8000-00000000000b']
  const its = anEndUpdate({ domain, uuid })
  const ofOther = { 'Call-Direction': 'outbound', variable_originating_leg_uuid: uuid }
  const late = anEndUpdate({ domain, uuid: joined, fields: ofOther })
  for (const update of [its, anEndUpdate({ domain: foreign, uuid })]) {
    expect(await indexUpdate(ports, update)).toBe('indexed')
  }
  await deleteCall({ ...ports, clock }, { domain }, uuid)

  for (const update of [its, aPostUpdate({ uuid, fields: { variable_domain_name: domain } }), late]) {
    expect([update, await indexUpdate(ports, update)]).toEqual([update, 'erased'])
    expect(kept().cdrs).not.toContain(update.uuid)
  }
  expect(kept(foreign).cdrs).toContain(uuid)
})
