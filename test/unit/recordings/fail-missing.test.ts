import { beforeEach, describe, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { type MemoryPorts, memoryPorts } from '../../support/memory/memory-ports.ts'
import { failMissingRecordings } from '../../../core/recordings/fail-missing-recordings.ts'
import type { ExpectedRecording } from '../../../core/recordings/recording.ts'
import { dying } from '../../support/processes/dying.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aDomain, aRecording, aStoredObject } from '../../support/records/records.ts'

const minute = 60_000
const graceMs = 2 * minute
let time = manualTime()
let ports: MemoryPorts
beforeEach(begin)

async function begin() {
  time = manualTime()
  ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  await ports.domains.create(aDomain({ name: aRecording().domain, createdAt: 0 }))
}

const run = (used = ports) => failMissingRecordings({ ...used, clock: time.clock, graceMs }, time.clock.now() + minute)

async function expectRecording(given: Partial<ExpectedRecording> = {}) {
  const now = time.clock.now()
  return ports.recordings.expect(aRecording({ startedAt: now - minute, endedAt: now, ...given }))
}

const published = () => ports.events.published.map(({ name, uuid }) => [name, uuid])

describe('an expected recording', () => {
  test('an expected recording fails 15 minutes after its end, with an event, and is shown as failed in its CDR', async () => {
    const recording = await expectRecording()

    await time.advance(15 * minute)
    expect(await run()).toBe(0)
    await time.advance(1)
    expect(await run()).toBe(1)

    expect(await ports.recordings.read(recording)).toMatchObject({ state: 'failed', closedAt: time.clock.now() })
    expect(published()).toEqual([['CUSTOM->svc::recording_failed', recording.uuid]])
    expect(ports.cdrQueue.queued).toMatchObject([{ kind: 'recording', uuid: recording.uuid, domain: recording.domain }])
  })

  test('an expected recording without a known end fails a day and 15 minutes after its beginning', async () => {
    await expectRecording({ endedAt: undefined })

    await time.advance(24 * 60 * minute)
    expect(await run()).toBe(0)
    await time.advance(15 * minute)
    expect(await run()).toBe(1)
  })

  test('an expected recording does not fail while it is claimed by an uploader, and fails when that one has died', async () => {
    const recording = await expectRecording()
    await time.advance(16 * minute)
    const now = time.clock.now()
    await ports.recordings.claim(recording, 'connector-1', { now, until: now + 2 * minute })

    expect(await run()).toBe(0)
    expect(published()).toEqual([])
    await time.advance(2 * minute)
    expect(await run()).toBe(1)
  })

  test('a failed recording is stored nevertheless if its file arrives later', async () => {
    const recording = await expectRecording()
    await time.advance(16 * minute)
    await run()

    const now = time.clock.now()
    expect(await ports.recordings.claim(recording, 'connector-1', { now, until: now + minute })).toBeDefined()
    expect(await ports.recordings.markStored(recording, 'connector-1', aStoredObject())).toBe('stored')
    expect(await run()).toBe(0)
  })

  test('a recording that an uploader claims right after the failure event does not fail, and no CDR says so', async () => {
    const recording = await expectRecording()
    await time.advance(16 * minute)
    const release: typeof ports.recordings.release = async (...given) => {
      await ports.recordings.release(...given)
      const now = time.clock.now()
      await ports.recordings.claim(recording, 'connector-1', { now, until: now + 2 * minute })
      await ports.recordings.markStored(recording, 'connector-1', aStoredObject())
    }

    const failed = await run({ ...ports, recordings: { ...ports.recordings, release } })

    expect([failed, ports.cdrQueue.queued]).toEqual([0, []])
    expect(await ports.recordings.read(recording)).toMatchObject({ state: 'stored' })
  })

  test('no second event is published for a recording that another run failed meanwhile', async () => {
    const recording = await expectRecording()
    await time.advance(16 * minute)
    const recordings = { ...ports.recordings, listOverdue: async () => [recording] }
    await run()
    const events = { ...ports.events, publish: () => Promise.reject(new Error('a second event')) }

    expect(await run({ ...ports, recordings, events })).toBe(0)
  })

  test('an expected recording is left for the next run when its event cannot be queued', async () => {
    const recording = await expectRecording()
    await time.advance(16 * minute)
    const events = {
      ...ports.events,
      publish: async () => [`recording_failed:${recording.id}:${recording.domain}:${recording.uuid}`],
    }

    expect(await run({ ...ports, events })).toBe(0)
    expect(await ports.recordings.read(recording)).toMatchObject({ state: 'expected' })
    expect(await run()).toBe(1)
  })
})

describe('an expected recording of a domain that was deleted', () => {
  test.each([
    ['nobody', undefined],
    ['no later domain of its name', 3 * minute],
  ])('an expected recording of a deleted domain fails, and the event reaches %s', async (_who, createdAfter) => {
    const recording = await expectRecording()
    await ports.domains.beginDeletion(recording.domain, time.clock.now())
    await ports.domains.endDeletion(recording.domain)
    if (createdAfter !== undefined) {
      const createdAt = time.clock.now() + createdAfter
      await ports.domains.create(aDomain({ name: recording.domain, createdAt }))
    }
    await time.advance(16 * minute)

    expect(await run()).toBe(1)

    expect(await ports.recordings.read(recording)).toMatchObject({ state: 'failed' })
    expect(published()).toEqual([])
  })
})

test('all overdue recordings fail in one run however many there are, and a further run finds none', async () => {
  for (let count = 0; count < 250; count += 1) await expectRecording()
  await time.advance(16 * minute)

  expect(await run()).toBe(250)
  expect(await run()).toBe(0)
  expect(new Set(ports.events.published.map(({ id }) => id)).size).toBe(250)
})

test('a run that fails missing recordings ends when its time is over', async () => {
  await expectRecording()
  await time.advance(16 * minute)

  expect(await failMissingRecordings({ ...ports, clock: time.clock, graceMs }, time.clock.now())).toBe(0)
})

test('a run that is killed before or after any of its calls publishes one event, and the next run completes the failure', async () => {
  const whole = dying(ports)
  await expectRecording()
  await time.advance(16 * minute)
  await run(whole.ports)
  const calls = whole.calls()
  expect(calls).toBeGreaterThan(5)

  for (let call = 1; call <= calls; call += 1) {
    for (const side of ['before', 'after'] as const) {
      await begin()
      const recording = await expectRecording()
      await time.advance(16 * minute)
      await run(dying(ports, { call, side }).ports).catch(() => {})

      await time.advance(2 * minute)
      await run()

      const where = `${side} call ${call}`
      expect(await ports.recordings.read(recording), where).toMatchObject({ state: 'failed' })
      expect([...new Set(ports.events.published.map(({ id }) => id))], where).toEqual([
        `recording_failed:${recording.id}:${recording.domain}:${recording.uuid}`,
      ])
    }
  }
})
