import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Recording } from '../../core/recordings/recording.ts'
import { longestCallMs } from '../../core/recordings/recording-store.ts'
import { opened } from '../support/opened.ts'
import { aRecording, aStoredObject } from '../support/records.ts'
import type { StoreKind, Stores } from '../support/stores.ts'

const now = Date.UTC(2026, 0, 15, 12)
const minute = 60_000
const day = 86_400_000
const times = { now, until: now + minute }

/** What every {@link RecordingStore} promises. */
export function recordingStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)
  const recordings = () => stores().recordings
  let domains = 0
  const aDomainName = () => `recorded-${(domains += 1)}.example.com`
  const expected = async (given: Parameters<typeof aRecording>[0] = {}) => {
    const told = aRecording({ domain: aDomainName(), ...given })
    await recordings().expect(told)
    return told
  }
  const stored = async (given: Parameters<typeof aRecording>[0] = {}) => {
    const told = await expected(given)
    await recordings().claim(told, 'me', times)
    expect(await recordings().markStored(told, 'me', aStoredObject())).toBe('stored')
    return told
  }

  test('what is told of is expected, and found by its place and its call', async () => {
    const told = aRecording({ domain: aDomainName() })

    const made = await recordings().expect(told)

    expect(made).toEqual({ ...told, state: 'expected', isHeld: false, version: 1 })
    expect(await recordings().read(told)).toEqual(made)
    expect(await recordings().list(told.domain, told.uuid)).toEqual([made])
    expect(await stores().elsewhere.recordings.read(told)).toEqual(made)
  })

  test('what is told again changes nothing but what was not known', async () => {
    const { endedAt, presenceId, ...beginning } = aRecording({ domain: aDomainName() })
    await recordings().expect({ ...beginning })

    await recordings().expect({ ...beginning, endedAt, presenceId, name: 'other', key: 'other', startedAt: 1 })
    await recordings().expect({ ...beginning, endedAt: 1, presenceId: 'other@example.com' })

    expect(await recordings().read(beginning)).toMatchObject({ ...beginning, endedAt, presenceId, version: 2 })
  })

  test('many that tell of one recording at once make one', async () => {
    const told = aRecording({ domain: aDomainName() })

    const made = await Promise.all(Array.from({ length: 5 }, () => recordings().expect(told)))

    expect(made.map(({ version }) => version)).toEqual([1, 1, 1, 1, 1])
    expect(await recordings().list(told.domain, told.uuid)).toHaveLength(1)
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

  test('one domain finds nothing of another that has the same call', async () => {
    const told = await expected()
    const other = { ...told, domain: `x-${told.domain}` }

    expect(await recordings().read(other)).toBeUndefined()
    expect(await recordings().claim(other, 'me', times)).toBeUndefined()
    expect(await recordings().setHold(other, true)).toBeUndefined()
    expect(await recordings().markDeleted(other, now)).toBe('gone')
    expect(await recordings().page(other.domain, 9)).toEqual([])
    expect(await recordings().read(told)).toMatchObject({ state: 'expected', version: 1 })
  })

  test('one uploader has a recording, until its time is over or it gives it back', async () => {
    const told = await expected()

    const claims = await Promise.all(['a', 'b', 'c'].map((by) => recordings().claim(told, by, times)))
    const [owner = ''] = claims.flatMap((claim) => claim?.claim?.by ?? [])

    expect(claims.filter(Boolean)).toHaveLength(1)
    expect(await recordings().claim(told, 'd', { now: now + minute - 1, until: now + 2 * minute })).toBeUndefined()
    expect(await recordings().renew(told, 'd', now + day)).toBe(false)
    expect(await recordings().renew(told, owner, now + 3 * minute, 'upload-1')).toBe(true)
    expect(await recordings().claim(told, 'd', { now: now + 2 * minute, until: now + day })).toBeUndefined()
    await recordings().release(told, 'd')
    expect(await recordings().claim(told, 'd', { now: now + 2 * minute, until: now + day })).toBeUndefined()
    await recordings().release(told, owner)
    const next = await recordings().claim(told, 'd', { now: now + 2 * minute, until: now + day })
    expect(next?.claim).toEqual({ by: 'd', until: now + day, uploadId: 'upload-1' })
    expect(await recordings().renew(told, owner, now + day)).toBe(false)
  })

  test('a claim whose time is over is taken by another, and its first owner stores nothing with it', async () => {
    const told = await expected()
    await recordings().claim(told, 'a', times)

    expect(await recordings().claim(told, 'b', { now: times.until, until: now + day })).toBeDefined()
    expect(await recordings().markStored(told, 'a', aStoredObject())).toBe('claim_lost')
    expect(await recordings().markStored(told, 'b', aStoredObject())).toBe('stored')
  })

  test('what is stored has its object, no claim, and no file at the engine any more', async () => {
    const told = await stored()

    const { engine: _engine, path: _path, ...kept } = told
    const object = aStoredObject()
    const expectedRecord: Recording = { ...kept, ...object, state: 'stored', isHeld: false, version: 3 }
    expect(await recordings().read(told)).toEqual(expectedRecord)
    expect(await recordings().markStored(told, 'me', object)).toBe('stored')
    expect(await recordings().markStored(told, 'you', { ...object, sha256: 'f'.repeat(64) })).toBe('claim_lost')
    expect(await recordings().claim(told, 'me', { now: now + day, until: now + 2 * day })).toBeUndefined()
    await recordings().expect(told)
    expect(await recordings().read(told)).toEqual(expectedRecord)
  })

  test('a recording fails once, not while an uploader has it, and is stored all the same when it comes', async () => {
    const told = await expected()
    await recordings().claim(told, 'me', times)

    expect(await recordings().markFailed(told, now)).toBe(false)
    const failures = await Promise.all([1, 2, 3].map(() => recordings().markFailed(told, times.until)))
    expect(failures.filter(Boolean)).toHaveLength(1)
    expect(await recordings().read(told)).toMatchObject({ state: 'failed', closedAt: times.until })
    expect(await recordings().claim(told, 'late', { now: now + day, until: now + 2 * day })).toBeDefined()
    expect(await recordings().markStored(told, 'late', aStoredObject())).toBe('stored')
    expect(await recordings().read(told)).not.toHaveProperty('closedAt')
    expect(await recordings().markFailed(told, now + 3 * day)).toBe(false)
  })

  test('what is under legal hold is not deleted, until the hold ends', async () => {
    const told = await stored()

    expect((await recordings().setHold(told, true))?.isHeld).toBe(true)
    expect((await recordings().setHold(told, true))?.version).toBe(4)
    expect(await recordings().markDeleted(told, now)).toBe('held')
    expect((await recordings().read(told))?.state).toBe('stored')
    await recordings().setHold(told, false)
    expect(await recordings().markDeleted(told, now)).toBe('deleted')
    expect(await recordings().setHold(told, true)).toBeUndefined()
  })

  test('of a hold and a deletion at one moment one wins', async () => {
    const told = await stored()

    const [deleted, held] = await Promise.all([
      recordings().markDeleted(told, now),
      stores().elsewhere.recordings.setHold(told, true),
    ])

    const left = await recordings().read(told)
    expect([deleted, held?.isHeld, left?.state]).toEqual(
      deleted === 'deleted' ? ['deleted', undefined, 'deleted'] : ['held', true, 'stored'],
    )
  })

  test('a deleted recording comes back by nothing', async () => {
    const told = await stored()
    expect(await recordings().markDeleted(told, now)).toBe('deleted')

    expect(await recordings().markDeleted(told, now)).toBe('gone')
    expect(await recordings().claim(told, 'me', { now: now + day, until: now + 2 * day })).toBeUndefined()
    expect(await recordings().markStored(told, 'me', aStoredObject())).toBe('gone')
    expect((await recordings().expect(told)).state).toBe('deleted')
    expect((await recordings().list(told.domain, told.uuid)).map(({ state }) => state)).toEqual(['deleted'])
  })

  test('an uploader whose recording was deleted meanwhile is told so', async () => {
    const told = await expected()
    await recordings().claim(told, 'me', times)
    await recordings().markDeleted(told, now)

    expect(await recordings().renew(told, 'me', now + 3 * minute)).toBe(false)
    expect(await recordings().markStored(told, 'me', aStoredObject())).toBe('gone')
  })

  test('the object of a deleted recording is looked for until it is removed for certain', async () => {
    const told = await expected()
    await recordings().claim(told, 'me', times)
    expect(await recordings().markRemoved(told, now)).toBe(false)
    await recordings().markDeleted(told, now)

    expect(await doomed(stores(), now + 1)).toContain(told.key)
    expect(await doomed(stores(), now)).not.toContain(told.key)
    expect(await recordings().markRemoved(told, now)).toBe(false)
    expect(await doomed(stores(), now + 1)).toContain(told.key)
    expect(await recordings().markRemoved(told, times.until)).toBe(true)
    expect(await recordings().markRemoved(told, times.until)).toBe(true)
    expect(await doomed(stores(), now + 1)).not.toContain(told.key)
  })

  test('what is expected is overdue by the end of its call, the oldest first, whatever its domain', async () => {
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

  test('a recording whose end nobody told is overdue a day after its beginning', async () => {
    const { endedAt: _end, ...told } = aRecording({ domain: aDomainName() })
    await recordings().expect(told)
    const overdue = async (before: number) => (await recordings().listOverdue(before, 1_000)).map(({ key }) => key)

    expect(await overdue(now + longestCallMs)).not.toContain(told.key)
    expect(await overdue(now + longestCallMs + 1)).toContain(told.key)
  })

  test('stored recordings of a domain expire by their beginning, but for held ones', async () => {
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

  test('what failed or was removed is there as long as CDRs are, and what has an object for good', async () => {
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

  test('recordings outlive their domain', async () => {
    const told = await stored()

    expect(await stores().remains.sweep(told.domain, Number.MAX_SAFE_INTEGER)).toBe(true)

    expect(await recordings().read(told)).toMatchObject({ state: 'stored' })
    expect(await recordings().listExpired(told.domain, now + day, 9)).toHaveLength(1)
  })

  test('stored recordings between two moments', async () => {
    const domain = aDomainName()
    for (const offset of [1, 2, 3]) await stored({ domain, startedAt: now + offset })
    const between = async (from: number, before: number) =>
      (await recordings().listExpired(domain, now + before, 9, now + from)).map(({ startedAt }) => startedAt - now)

    expect(await between(2, 3)).toEqual([2])
    expect(await between(2, 9)).toEqual([2, 3])
    expect(await between(2, 2)).toEqual([])
    expect(await between(3, 1)).toEqual([])
  })

  test('what domains left is noted once for each, with the longest retention and the latest moment', async () => {
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

    await recordings().forgetLeft(first, 9)
    expect(await all()).toContainEqual(noted)
    await recordings().forgetLeft(first, 10)
    await recordings().forgetLeft(first, 10)
    expect((await all()).map(({ domain }) => domain)).toEqual([second])
  })

  test('many that note one domain at once leave one note', async () => {
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
