import { beforeEach, describe, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { type MemoryPorts, memoryPorts } from '../../support/memory/memory-ports.ts'
import { nameProblem } from '../../../core/client-names/client-names.ts'
import { readSettings } from '../../../core/domains/domain-settings.ts'
import { removeExpiredRecordings } from '../../../core/recordings/remove-expired-recordings.ts'
import { isRetention, retentionDaysOf, retentionMs } from '../../../core/client-names/domain-parameters.ts'
import type { Recording } from '../../../core/recordings/recording.ts'
import { dying } from '../../support/processes/dying.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aDomain, aRecording, aStoredObject } from '../../support/records/records.ts'

const minute = 60_000
const day = 24 * 60 * minute
let time = manualTime()
let ports: MemoryPorts
beforeEach(begin)

async function begin() {
  time = manualTime()
  ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  await ports.domains.create(aDomain({ name: 'a.example.com' }))
}

const run = (used = ports, until = time.clock.now() + minute) =>
  removeExpiredRecordings({ ...used, clock: time.clock, graceMs: 2 * minute }, until)

/** A stored recording of so many days ago, with its object. */
async function aStored(daysAgo: number, domain = 'a.example.com'): Promise<Recording> {
  const now = time.clock.now()
  const recording = await ports.recordings.expect(aRecording({ domain, startedAt: now - daysAgo * day, endedAt: now }))
  await ports.recordings.claim(recording, 'connector-1', { now, until: now + minute })
  await ports.recordings.markStored(recording, 'connector-1', aStoredObject())
  ports.recordingFiles.files.set(recording.key, { contentType: 'audio/wav', bytes: Buffer.alloc(1), state: 'ready' })
  return recording
}

const objects = () => [...ports.recordingFiles.files.keys()]

describe('a domain keeps its recordings', () => {
  test('a domain keeps its recordings for 365 days by default', async () => {
    const [kept, gone] = [await aStored(364), await aStored(366)]

    expect(await run()).toEqual({ expired: 1, finished: 0, isCutShort: false })

    expect(objects()).toEqual([kept.key])
    expect(await ports.recordings.read(gone)).toMatchObject({ state: 'deleted', isRemoved: true })
    expect(await ports.recordings.read(kept)).toMatchObject({ state: 'stored' })
    expect(ports.cdrQueue.queued).toMatchObject([{ kind: 'recording', uuid: gone.uuid }])
  })

  test('a domain keeps its recordings for as many days as it says, including those stored earlier', async () => {
    const parameters = { 'recording-retention-days': '2' }
    await ports.domains.create(aDomain({ name: 'b.example.com', parameters }))
    const kept = await aStored(1, 'b.example.com')
    await aStored(3, 'b.example.com')
    const other = await aStored(3)

    expect(await run()).toMatchObject({ expired: 1 })

    expect(new Set(objects())).toEqual(new Set([kept.key, other.key]))
  })

  test('a domain keeps its recordings while they are under a legal hold, and removes them when it ends', async () => {
    const recording = await aStored(400)
    await ports.recordings.setHold(recording, true)
    expect(await run()).toMatchObject({ expired: 0 })
    expect(objects()).toEqual([recording.key])

    await ports.recordings.setHold(recording, false)
    expect(await run()).toMatchObject({ expired: 1 })
    expect(objects()).toEqual([])
  })

  test.each([
    ['1', true],
    ['3650', true],
    ['3651', false],
    ['0', false],
    ['-1', false],
    ['1.5', false],
    ['1e3', false],
    [' 7', false],
    ['', false],
  ])("a domain's retention of %j days is usable: %s", (text, isUsable) => {
    expect(isRetention(text)).toBe(isUsable)
    const parameters = { 'recording-retention-days': text }
    expect(retentionMs(retentionDaysOf({ parameters }))).toBe((isUsable ? Number(text) : 365) * day)
  })
})

describe('the parameter of a domain', () => {
  const read = (item: string) =>
    readSettings('parameters', [item], { field: 'parameters', added: new Map(), isRoot: false })

  test('the retention parameter of a domain is accepted if it is a number of days, and can be removed', () => {
    expect(read('recording-retention-days=30')).toMatchObject([{ name: 'recording-retention-days', value: '30' }])
    expect(read('recording-retention-days=')).toMatchObject([{ value: '' }])
  })

  test('the retention parameter is refused if it is not a number of days, and always on an account', () => {
    expect(() => read('recording-retention-days=3651')).toThrow('must be a number of days from 1 to 3650')
    expect(() => read('recording-retention-days=soon')).toThrow('must be a number of days from 1 to 3650')
    expect(nameProblem('accountParameters', 'recording-retention-days', { added: new Map() })).toBeDefined()
  })
})

describe('a run of the retention', () => {
  test('a run of the retention processes more than one page and stops when its time is over', async () => {
    for (let count = 0; count < 230; count += 1) await aStored(400)

    expect(await run(ports, time.clock.now())).toMatchObject({ expired: 0, isCutShort: true })
    expect(await run()).toMatchObject({ expired: 230, isCutShort: false })
    expect(objects()).toEqual([])
  })

  test('a run of the retention removes the objects that an interrupted deletion left', async () => {
    const recording = await aStored(1)
    await ports.recordings.markDeleted(recording, time.clock.now())
    expect(await run()).toMatchObject({ finished: 0 })

    await time.advance(11 * minute)
    expect(await run()).toMatchObject({ finished: 1 })
    expect(objects()).toEqual([])
  })

  test('a run of the retention leaves an object alone if its deletion began less than ten minutes ago', async () => {
    const recording = await aStored(1)
    await ports.recordings.markDeleted(recording, time.clock.now())
    await time.advance(10 * minute)

    expect(await run()).toMatchObject({ finished: 0 })
    await time.advance(1)
    expect(await run()).toMatchObject({ finished: 1 })
  })

  test('a run of the retention that is killed before or after any of its calls is completed by the next ones', async () => {
    const whole = dying(ports)
    await aStored(400)
    await run(whole.ports)
    for (let call = 1; call <= whole.calls(); call += 1) {
      for (const side of ['before', 'after'] as const) {
        await begin()
        const recording = await aStored(400)
        await run(dying(ports, { call, side }).ports).catch(() => {})

        await time.advance(11 * minute)
        await run()

        expect(objects(), `${side} call ${call}`).toEqual([])
        expect(await ports.recordings.read(recording)).toMatchObject({ state: 'deleted', isRemoved: true })
      }
    }
  })
})

describe('of a deleted domain', () => {
  const name = 'a.example.com'
  /** Deletes the domain as the clean-up does, and makes one of its name where `days` are given for it. */
  async function replaced(earlierDays: number, days?: number) {
    await ports.domains.beginDeletion(name, time.clock.now())
    await ports.recordings.leave({ domain: name, retentionDays: earlierDays, leftAt: time.clock.now() })
    await ports.domains.endDeletion(name)
    if (days === undefined) return
    await time.advance(2 * minute)
    const parameters = { 'recording-retention-days': `${days}` }
    await ports.domains.create(aDomain({ name, createdAt: time.clock.now(), parameters }))
  }
  const notes = () => ports.recordings.listLeft(9)

  test('recordings of a deleted domain stay as long as the domain wanted, and are then removed', async () => {
    const [kept] = [await aStored(9), await aStored(11)]
    await replaced(10)

    expect(await run()).toMatchObject({ expired: 1 })
    expect(objects()).toEqual([kept.key])
    await time.advance(2 * day)
    expect(await run()).toMatchObject({ expired: 1 })
    expect(objects()).toEqual([])
  })

  test('under deletion, a domain keeps its recordings for its own days, not for those of an earlier one', async () => {
    await replaced(2, 10)
    await time.advance(2 * minute)
    const kept = await aStored(0)
    await ports.domains.beginDeletion(name, time.clock.now())

    await time.advance(9 * day)
    await run()
    expect(objects()).toEqual([kept.key])
    await time.advance(2 * day)
    await run()
    expect(objects()).toEqual([])
    await time.advance(40 * day)
    await run()
    expect(await notes()).toHaveLength(1)
  })

  test.each([
    ['shorter', 10, 2],
    ['longer', 2, 10],
  ])('the next one of its name, with a %s retention, has its own alone', async (_what, earlier, own) => {
    await aStored(0)
    await replaced(earlier, own)
    await time.advance(2 * minute)
    const later = await aStored(0)
    const leftAfter = async (days: number) => {
      await time.advance(days * day)
      await run()
      return objects()
    }

    const [first, second] = [await leftAfter(3), await leftAfter(8)]

    expect(first.includes(later.key)).toBe(own > 3)
    expect(first).toHaveLength(1)
    expect(second).toEqual([])
  })

  test('recordings of a deleted domain stay while they are under a legal hold', async () => {
    const held = await aStored(400)
    await ports.recordings.setHold(held, true)
    await replaced(1)
    await time.advance(500 * day)

    expect(await run()).toMatchObject({ expired: 0 })

    expect(objects()).toEqual([held.key])
    expect(await notes()).toHaveLength(1)
  })

  test('the record of a deleted domain is removed when none of its recordings is left and none can arrive', async () => {
    const recording = await aStored(1)
    await replaced(3)
    await time.advance(4 * day)
    await run()
    expect(await ports.recordings.read(recording)).toMatchObject({ state: 'deleted' })
    await time.advance(4 * day)
    await run()
    expect(await notes()).toHaveLength(1)

    await time.advance(400 * day)
    await run()

    expect(await notes()).toEqual([])
  })

  test("the record of a deleted domain stays for 30 days, while a post of its calls is believed, and while the domain's name is taken", async () => {
    await replaced(1)
    await time.advance(30 * day)
    await run()
    expect(await notes()).toHaveLength(1)
    await ports.domains.create(aDomain({ name, createdAt: time.clock.now() }))
    await time.advance(1)
    await run()
    expect(await notes()).toHaveLength(1)
  })

  test('the records of all deleted domains are processed, even if there is more than one page', async () => {
    for (let count = 0; count < 250; count += 1) {
      const domain = `gone-${count}.example.com`
      await aStored(3, domain)
      await ports.recordings.leave({ domain, retentionDays: 2, leftAt: time.clock.now() })
    }

    expect(await run()).toMatchObject({ expired: 250, isCutShort: false })
    expect(objects()).toEqual([])
  })
})

test('a recording that is put under a legal hold after a run of the retention has listed it is kept', async () => {
  const recording = await aStored(400)
  const listExpired = async (...given: Parameters<typeof ports.recordings.listExpired>) => {
    const found = await ports.recordings.listExpired(...given)
    await ports.recordings.setHold(recording, true)
    return found
  }

  expect(await run({ ...ports, recordings: { ...ports.recordings, listExpired } })).toMatchObject({ expired: 0 })

  expect([objects(), ports.cdrQueue.queued]).toEqual([[recording.key], []])
})

test('a run of the retention does not count an object as removed for good while an uploader may still bring it', async () => {
  const now = time.clock.now()
  const recording = await ports.recordings.expect(aRecording({ domain: 'a.example.com', startedAt: now, endedAt: now }))
  await ports.recordings.claim(recording, 'upload', { now, until: now + 60 * minute })
  await ports.recordings.markDeleted(recording, now)
  await time.advance(11 * minute)

  expect(await run()).toMatchObject({ finished: 0 })
  await time.advance(60 * minute)
  expect(await run()).toMatchObject({ finished: 1 })
})
