import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Recording } from '../../core/recordings/recording.ts'
import { longestCallMs } from '../../core/recordings/recording-store.ts'
import { opened } from '../support/processes/opened.ts'
import { aRecording, aStoredObject } from '../support/records/records.ts'
import type { StoreKind, Stores } from '../support/stores/stores.ts'

const now = Date.UTC(2026, 0, 15, 12)
const minute = 60_000
const day = 86_400_000
const times = { now, until: now + minute }

/** The contract of every {@link RecordingStore}. */
export function recordingStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)
  const recordings = () => stores().recordings
  let domains = 0
  const aDomainName = () => `recorded-${(domains += 1)}.example.com`
  const expected = async (given: Parameters<typeof aRecording>[0] = {}) => {
    const recording = aRecording({ domain: aDomainName(), ...given })
    await recordings().expect(recording)
    return recording
  }
  const stored = async (given: Parameters<typeof aRecording>[0] = {}) => {
    const recording = await expected(given)
    await recordings().claim(recording, 'me', times)
    expect(await recordings().markStored(recording, 'me', aStoredObject())).toBe('stored')
    return recording
  }

  test('a reported recording is expected, and found by its place and its call', async () => {
    const recording = aRecording({ domain: aDomainName() })

    const made = await recordings().expect(recording)

    expect(made).toEqual({ ...recording, state: 'expected', isHeld: false, version: 1 })
    expect(await recordings().read(recording)).toEqual(made)
    expect(await recordings().list(recording.domain, recording.uuid)).toEqual([made])
    expect(await stores().elsewhere.recordings.read(recording)).toEqual(made)
  })

  test('a repeated report of a recording adds only missing fields', async () => {
    const { endedAt, presenceId, ...beginning } = aRecording({ domain: aDomainName() })
    await recordings().expect({ ...beginning })

    await recordings().expect({ ...beginning, endedAt, presenceId, name: 'other', key: 'other', startedAt: 1 })
    await recordings().expect({ ...beginning, endedAt: 1, presenceId: 'other@example.com' })

    expect(await recordings().read(beginning)).toMatchObject({ ...beginning, endedAt, presenceId, version: 2 })
  })

  test('simultaneous reports of one recording create one record', async () => {
    const recording = aRecording({ domain: aDomainName() })

    const made = await Promise.all(Array.from({ length: 5 }, () => recordings().expect(recording)))

    expect(made.map(({ version }) => version)).toEqual([1, 1, 1, 1, 1])
    expect(await recordings().list(recording.domain, recording.uuid)).toHaveLength(1)
  })

  test('the recordings of a call are listed by their beginning, and no others with them', async () => {
    const [domain, uuid] = [aDomainName(), randomUUID()]
    await expected({ domain, uuid, id: 'a', startedAt: now + 2 })
    await expected({ domain, uuid, id: 'b', startedAt: now + 1 })
    await expected({ domain })
    await expected({ uuid })

    expect((await recordings().list(domain, uuid)).map(({ id }) => id)).toEqual(['b', 'a'])
    expect(await recordings().list(aDomainName(), uuid)).toEqual([])
  })

  test('legs that may have recordings are found among many, in their own domain only', async () => {
    const leg = await expected({ uuid: randomUUID() })
    const other = await stored({ uuid: randomUUID() })
    const legs = [leg, other].map(({ domain, uuid }) => ({ domain, uuid }))
    const foreign = { domain: other.domain, uuid: leg.uuid }
    const without = Array.from({ length: 210 }, () => ({ domain: leg.domain, uuid: randomUUID() }))

    const found = await recordings().listRecorded([foreign, ...legs, ...without])

    const byUuid = (list: readonly { uuid: string }[]) => list.toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1))
    expect(byUuid(found)).toEqual(byUuid(legs))
    expect(await recordings().listRecorded([])).toEqual([])
  })

  test('the legs that recorded into a file which is not named after them are found by its name', async () => {
    const name = `${randomUUID()} & <more>.wav`
    const legs = await Promise.all([
      expected({ name }),
      expected({ name, domain: `x-${randomUUID()}.example.com` }),
      expected({ name: `${randomUUID()}.wav` }),
    ])
    const uuid = randomUUID()
    await expected({ uuid, name: `${uuid}.wav` })

    const found = await recordings().listByFile(name)

    const uuids = (list: readonly { uuid: string }[]) => list.map((leg) => leg.uuid).toSorted()
    expect(uuids(found)).toEqual(uuids(legs.slice(0, 2)))
    expect(uuids(await recordings().listByFile(name, legs[1].domain))).toEqual([legs[1].uuid])
    expect(await recordings().listByFile(name, `y-${legs[1].domain}`)).toEqual([])
    expect(await recordings().listByFile(`${uuid}.wav`)).toEqual([])
  })

  test('the newest of many legs that recorded into one file come first, also when another domain has as many', async () => {
    const [name, domain, other] = [`${randomUUID()}.wav`, aDomainName(), aDomainName()]
    const legs = Array.from({ length: 150 }, (_, age) => ({ name, uuid: randomUUID(), startedAt: now - age * minute }))
    for (const leg of legs) await expected({ ...leg, domain })
    const newest = legs.slice(0, 2).map(({ uuid }) => ({ domain, uuid }))

    expect((await recordings().listByFile(name, domain)).slice(0, 2)).toEqual(newest)
    expect((await recordings().listByFile(name)).slice(0, 2)).toEqual(newest)
    for (const leg of legs.slice(0, 20)) await expected({ ...leg, domain: other })

    expect((await recordings().listByFile(name, domain)).slice(0, 2)).toEqual(newest)
    expect(new Set((await recordings().listByFile(name)).map((leg) => leg.domain))).toEqual(new Set([domain, other]))
  })

  test("a recording of another domain's call with the same uuid is not found", async () => {
    const recording = await expected()
    const other = { ...recording, domain: `x-${recording.domain}` }

    expect(await recordings().read(other)).toBeUndefined()
    expect(await recordings().claim(other, 'me', times)).toBeUndefined()
    expect(await recordings().setHold(other, true)).toBeUndefined()
    expect(await recordings().markDeleted(other, now)).toBe('gone')
    expect(await recordings().page(other.domain, 9)).toEqual([])
    expect(await recordings().read(recording)).toMatchObject({ state: 'expected', version: 1 })
  })

  test('one uploader holds the claim on a recording until it expires or is released', async () => {
    const recording = await expected()

    const claims = await Promise.all(['a', 'b', 'c'].map((by) => recordings().claim(recording, by, times)))
    const [owner = ''] = claims.flatMap((claim) => claim?.claim?.by ?? [])

    expect(claims.filter(Boolean)).toHaveLength(1)
    expect(await recordings().claim(recording, 'd', { now: now + minute - 1, until: now + 2 * minute })).toBeUndefined()
    expect(await recordings().renew(recording, 'd', now + day)).toBe(false)
    expect(await recordings().renew(recording, owner, now + 3 * minute, 'upload-1')).toBe(true)
    expect(await recordings().claim(recording, 'd', { now: now + 2 * minute, until: now + day })).toBeUndefined()
    await recordings().release(recording, 'd')
    expect(await recordings().claim(recording, 'd', { now: now + 2 * minute, until: now + day })).toBeUndefined()
    await recordings().release(recording, owner)
    const next = await recordings().claim(recording, 'd', { now: now + 2 * minute, until: now + day })
    expect(next?.claim).toEqual({ by: 'd', until: now + day, uploadId: 'upload-1' })
    expect(await recordings().renew(recording, owner, now + day)).toBe(false)
  })

  test('an uploader extends its own claim by claiming again', async () => {
    const recording = await expected()
    await recordings().claim(recording, 'a', times)
    const until = times.until + day

    expect((await recordings().claim(recording, 'a', { ...times, until }))?.claim).toMatchObject({ by: 'a', until })
  })

  test('another uploader can take an expired claim on a recording, after which the first one cannot store', async () => {
    const recording = await expected()
    await recordings().claim(recording, 'a', times)

    expect(await recordings().claim(recording, 'b', { now: times.until, until: now + day })).toBeDefined()
    expect(await recordings().markStored(recording, 'a', aStoredObject())).toBe('claim_lost')
    expect(await recordings().markStored(recording, 'b', aStoredObject())).toBe('stored')
  })

  test('a stored recording has its object, no claim, and no file at the engine any more', async () => {
    const recording = await stored()

    const { engine: _engine, path: _path, ...kept } = recording
    const object = aStoredObject()
    const expectedRecord: Recording = { ...kept, ...object, state: 'stored', isHeld: false, version: 3 }
    expect(await recordings().read(recording)).toEqual(expectedRecord)
    expect(await recordings().markStored(recording, 'me', object)).toBe('stored')
    expect(await recordings().markStored(recording, 'you', { ...object, sha256: 'f'.repeat(64) })).toBe('claim_lost')
    expect(await recordings().claim(recording, 'me', { now: now + day, until: now + 2 * day })).toBeUndefined()
    await recordings().expect(recording)
    expect(await recordings().read(recording)).toEqual(expectedRecord)
  })

  test('a recording is not marked as failed while it is claimed, fails once, and can still be stored later', async () => {
    const recording = await expected()
    await recordings().claim(recording, 'me', times)

    expect(await recordings().markFailed(recording, now)).toBe(false)
    const failures = await Promise.all([1, 2, 3].map(() => recordings().markFailed(recording, times.until)))
    expect(failures.filter(Boolean)).toHaveLength(1)
    expect(await recordings().read(recording)).toMatchObject({ state: 'failed', closedAt: times.until })
    expect(await recordings().claim(recording, 'late', { now: now + day, until: now + 2 * day })).toBeDefined()
    expect(await recordings().markStored(recording, 'late', aStoredObject())).toBe('stored')
    expect(await recordings().read(recording)).not.toHaveProperty('closedAt')
    expect(await recordings().markFailed(recording, now + 3 * day)).toBe(false)
  })

  test('a recording under legal hold is not deleted until the hold ends', async () => {
    const recording = await stored()

    expect((await recordings().setHold(recording, true))?.isHeld).toBe(true)
    expect((await recordings().setHold(recording, true))?.version).toBe(4)
    expect(await recordings().markDeleted(recording, now)).toBe('held')
    expect((await recordings().read(recording))?.state).toBe('stored')
    await recordings().setHold(recording, false)
    expect(await recordings().markDeleted(recording, now)).toBe('deleted')
    expect(await recordings().setHold(recording, true)).toBeUndefined()
  })

  test('one of a simultaneous hold and deletion succeeds', async () => {
    const recording = await stored()

    const [deleted, held] = await Promise.all([
      recordings().markDeleted(recording, now),
      stores().elsewhere.recordings.setHold(recording, true),
    ])

    const left = await recordings().read(recording)
    expect([deleted, held?.isHeld, left?.state]).toEqual(
      deleted === 'deleted' ? ['deleted', undefined, 'deleted'] : ['held', true, 'stored'],
    )
  })

  test('a deleted recording stays deleted when it is claimed, stored or reported again', async () => {
    const recording = await stored()
    expect(await recordings().markDeleted(recording, now)).toBe('deleted')

    expect(await recordings().markDeleted(recording, now)).toBe('gone')
    expect(await recordings().claim(recording, 'me', { now: now + day, until: now + 2 * day })).toBeUndefined()
    expect(await recordings().markStored(recording, 'me', aStoredObject())).toBe('gone')
    expect((await recordings().expect(recording)).state).toBe('deleted')
    expect((await recordings().list(recording.domain, recording.uuid)).map(({ state }) => state)).toEqual(['deleted'])
  })

  test('an uploader learns that its recording was deleted meanwhile', async () => {
    const recording = await expected()
    await recordings().claim(recording, 'me', times)
    await recordings().markDeleted(recording, now)

    expect(await recordings().renew(recording, 'me', now + 3 * minute)).toBe(false)
    expect(await recordings().markStored(recording, 'me', aStoredObject())).toBe('gone')
  })

  test('a deleted recording is listed for removal until its object is certainly removed', async () => {
    const recording = await expected()
    await recordings().claim(recording, 'me', times)
    expect(await recordings().markRemoved(recording, now)).toBe(false)
    await recordings().markDeleted(recording, now)

    expect(await doomed(stores(), now + 1)).toContain(recording.key)
    expect(await doomed(stores(), now)).not.toContain(recording.key)
    expect(await recordings().markRemoved(recording, now)).toBe(false)
    expect(await doomed(stores(), now + 1)).toContain(recording.key)
    expect(await recordings().markRemoved(recording, times.until)).toBe(true)
    expect(await recordings().markRemoved(recording, times.until)).toBe(true)
    expect(await doomed(stores(), now + 1)).not.toContain(recording.key)
  })

  test('expected recordings become overdue by the end of their calls, oldest first, in all domains', async () => {
    const last = await expected({ endedAt: now + 20 })
    const first = await expected({ endedAt: now + 10 })
    const failedOne = await expected({ endedAt: now + 10 })
    const storedOne = await stored({ endedAt: now + 10 })
    await recordings().markFailed(failedOne, now + day)
    const mine = new Set([last.key, first.key, failedOne.key, storedOne.key])
    const overdue = async (before: number) =>
      (await recordings().listOverdue(before, 1_000)).map(({ key }) => key).filter((key) => mine.has(key))

    expect(await overdue(now + 21)).toEqual([first.key, last.key])
    expect(await overdue(now + 20)).toEqual([first.key])
    expect(await overdue(now + 10)).toEqual([])
    expect(await recordings().listOverdue(now + day, 1)).toHaveLength(1)
  })

  test('a recording without a reported end is overdue a day after its beginning', async () => {
    const { endedAt: _end, ...recording } = aRecording({ domain: aDomainName() })
    await recordings().expect(recording)
    const overdue = async (before: number) => (await recordings().listOverdue(before, 1_000)).map(({ key }) => key)

    expect(await overdue(now + longestCallMs)).not.toContain(recording.key)
    expect(await overdue(now + longestCallMs + 1)).toContain(recording.key)
  })

  test('stored recordings of a domain expire by the time they began, except those under legal hold', async () => {
    const domain = aDomainName()
    const [second, first] = [await stored({ domain, startedAt: now + 2 }), await stored({ domain, startedAt: now + 1 })]
    const held = await stored({ domain, startedAt: now })
    await recordings().setHold(held, true)
    await expected({ domain, startedAt: now })
    await stored({ startedAt: now })
    const expired = async (before: number, limit = 9) =>
      (await recordings().listExpired(domain, before, limit)).map(({ key }) => key)

    expect(await expired(now + 3)).toEqual([first.key, second.key])
    expect(await expired(now + 3, 1)).toEqual([first.key])
    expect(await expired(now + 2)).toEqual([first.key])
    await recordings().setHold(held, false)
    expect(await expired(now + 1)).toEqual([held.key])
    await recordings().markDeleted(held, now)
    expect(await expired(now + 1)).toEqual([])
  })

  test('all recordings of a domain come page by page, whatever their state', async () => {
    const domain = aDomainName()
    for (const id of ['a', 'b', 'c']) await expected({ domain, id })
    const all = await recordings().page(domain, 9)
    const [first, second] = all
    if (first !== undefined) await recordings().markDeleted(first, now)

    expect(all).toHaveLength(3)
    expect((await recordings().page(domain, 2)).map(({ key }) => key)).toEqual([first?.key, second?.key])
    expect((await recordings().page(domain, 2, second)).map(({ key }) => key)).toEqual([all[2]?.key])
    expect(await recordings().page(domain, 2, all[2])).toEqual([])
  })

  test('the record of a failed or removed recording is kept as long as CDRs are, and one with an object without limit', async () => {
    const [failedOne, removedOne, kept] = [await expected(), await stored(), await stored()]
    await recordings().markFailed(failedOne, now)
    await recordings().markDeleted(removedOne, now)
    await recordings().markRemoved(removedOne, now)
    const start = stores().clock.now()
    const left = async (at: number) => {
      stores().clock.move(at - stores().clock.now())
      const found = await Promise.all([failedOne, removedOne, kept].map((one) => recordings().read(one)))
      return found.map((one) => one?.state)
    }

    expect(await left(now + 400 * day - 1_000)).toEqual(['failed', 'deleted', 'stored'])
    expect(await left(now + 400 * day)).toEqual([undefined, undefined, 'stored'])
    expect((await recordings().expect(failedOne)).version).toBe(1)
    stores().clock.move(start - stores().clock.now())
  })

  test('recordings are kept when their domain is deleted', async () => {
    const recording = await stored()

    expect(await stores().tenantData.purge(recording.domain, Number.MAX_SAFE_INTEGER)).toBe(true)

    expect(await recordings().read(recording)).toMatchObject({ state: 'stored' })
    expect(await recordings().listExpired(recording.domain, now + day, 9)).toHaveLength(1)
  })

  test('the list of expired recordings can be limited to a time between two moments', async () => {
    const domain = aDomainName()
    for (const offset of [1, 2, 3]) await stored({ domain, startedAt: now + offset })
    const between = async (from: number, before: number) =>
      (await recordings().listExpired(domain, now + before, 9, now + from)).map(({ startedAt }) => startedAt - now)

    expect(await between(2, 3)).toEqual([2])
    expect(await between(2, 9)).toEqual([2, 3])
    expect(await between(2, 2)).toEqual([])
    expect(await between(3, 1)).toEqual([])
  })

  test('the recordings of a deleted domain are recorded once, with the longest retention and the latest time', async () => {
    const [first, second] = [`left-a-${randomUUID()}`, `left-b-${randomUUID()}`]
    const all = async () =>
      (await recordings().listLeft(1_000)).filter(({ domain }) => [first, second].includes(domain))
    await recordings().leave({ domain: second, retentionDays: 1, leftAt: 5 })
    await recordings().leave({ domain: first, retentionDays: 30, leftAt: 5 })
    await recordings().leave({ domain: first, retentionDays: 7, leftAt: 9 })
    await recordings().leave({ domain: first, retentionDays: 8, leftAt: 7 })

    const noted = { domain: first, retentionDays: 30, leftAt: 9 }
    expect(await all()).toEqual([noted, { domain: second, retentionDays: 1, leftAt: 5 }])
    expect((await recordings().listLeft(1_000, first))[0]?.domain).toBe(second)
    expect(await recordings().listLeft(1)).toHaveLength(1)
    expect(await recordings().page(first, 9)).toEqual([])

    expect(await recordings().wasLeft(first)).toBe(true)
    expect(await recordings().wasLeft(`${first}.example.com`)).toBe(false)
    await recordings().forgetLeft(first, 9)
    expect(await all()).toContainEqual(noted)
    await recordings().forgetLeft(first, 10)
    await recordings().forgetLeft(first, 10)
    expect((await all()).map(({ domain }) => domain)).toEqual([second])
  })

  test('of domains of one name the longest retention of CDRs is recorded, and whether one had none', async () => {
    const days = (...all: readonly (number | undefined)[]) => all
    for (const [given, noted] of [
      [days(undefined), {}],
      [days(30, 90, 60), { cdrRetentionDays: 90 }],
      [days(undefined, 30), { cdrRetentionDays: 30, hasUsualCdrs: true }],
      [days(30, undefined, 90, 90), { cdrRetentionDays: 90, hasUsualCdrs: true }],
    ] as const) {
      const domain = `left-d-${randomUUID()}`
      for (const cdrRetentionDays of given)
        await recordings().leave({ domain, retentionDays: 1, cdrRetentionDays, leftAt: 5 })

      const found = (await recordings().listLeft(1_000)).filter((one) => one.domain === domain)
      expect(found).toEqual([{ domain, retentionDays: 1, leftAt: 5, ...noted }])
    }
  })

  test('simultaneous records of one deleted domain result in one record', async () => {
    const domain = `left-c-${randomUUID()}`

    await Promise.all([1, 5, 3].map((days) => recordings().leave({ domain, retentionDays: days, leftAt: days })))

    expect((await recordings().listLeft(1_000)).filter((one) => one.domain === domain)).toEqual([
      { domain, retentionDays: 5, leftAt: 5 },
    ])
  })
}

async function doomed({ recordings }: Stores, before: number): Promise<string[]> {
  return (await recordings.listDoomed(before, 1_000)).map(({ key }) => key)
}
