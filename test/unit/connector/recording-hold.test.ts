import { afterEach, beforeEach, expect, test } from 'vitest'
import { DomainError } from '../../../core/errors.ts'
import {
  type RecorderLab,
  aRecordedCall,
  recordedDomain,
  recordedLeg,
  recorderLab,
} from '../../support/connector/recorder-lab.ts'

let lab: RecorderLab
beforeEach(async () => {
  lab = await recorderLab()
})
afterEach(() => lab.close())

test('a recording that was put under legal hold before it was stored is locked after its event; a refused lock is set later', async () => {
  const call = aRecordedCall(lab.time)
  lab.write(call.path)
  const { recordingFiles, recordings, events } = lab.ports
  const publishedAt: number[] = []
  const hold = async (...given: Parameters<typeof recordingFiles.hold>) => {
    publishedAt.push(events.published.filter(({ name }) => name.endsWith('recording_stored')).length)
    if (publishedAt.length === 1) throw new Error('the object store is away')
    return recordingFiles.hold(...given)
  }
  const recorder = lab.connector({ ports: { ...lab.ports, recordingFiles: { ...recordingFiles, hold } } })
  recorder.hear(call.start(), recordedDomain, recordedLeg)
  await lab.until(async () => (await lab.recordings()).length === 1)
  const [recording] = await lab.recordings()
  if (recording === undefined) throw new TypeError('no recording is expected')
  await recordings.setHold(recording, true)

  for (const event of [call.stop(), call.end()]) recorder.hear(event, recordedDomain, recordedLeg)
  await lab.until(() => lab.ports.recordingFiles.held.size > 0 && lab.notes().length === 0)

  expect([...recordingFiles.held]).toEqual([recording.key])
  expect(publishedAt.every((count) => count > 0)).toBe(true)
  expect(publishedAt).toHaveLength(2)
})

/** A held recording that ends, at a connector whose object store refuses legal holds while `isRefused` says so. */
async function storedUnlocked(isRefused: () => boolean) {
  const call = aRecordedCall(lab.time)
  lab.write(call.path)
  const { recordingFiles, recordings } = lab.ports
  let locks = 0
  const hold = async (...given: Parameters<typeof recordingFiles.hold>) => {
    locks += 1
    if (isRefused()) throw new DomainError('store_unavailable', 'the store does not lock objects yet')
    return recordingFiles.hold(...given)
  }
  const recorder = lab.connector({ ports: { ...lab.ports, recordingFiles: { ...recordingFiles, hold } } })
  recorder.hear(call.start(), recordedDomain, recordedLeg)
  await lab.until(async () => (await lab.recordings()).length === 1)
  for (const recording of await lab.recordings()) await recordings.setHold(recording, true)
  for (const event of [call.stop(), call.end()]) recorder.hear(event, recordedDomain, recordedLeg)
  await lab.until(() => locks > 30)
  return { call, recorder }
}

test('a lock that is refused for long repeats no event, and is reported as a missing lock and not as a recording that waits', async () => {
  let isRefused = true
  const { recorder } = await storedUnlocked(() => isRefused)

  expect(recorder.counters()).toMatchObject({
    recordingsUnlocked: 1,
    recordingsWaiting: 0,
    recordingsOldestMs: 0,
    recordingsStored: 1,
    recordingFailures: 0,
  })
  isRefused = false
  await lab.until(() => lab.notes().length === 0)

  expect(lab.ports.recordingFiles.held.size).toBe(1)
  expect(lab.ports.events.published).toHaveLength(1)
  expect(recorder.counters()).toMatchObject({ recordingsUnlocked: 0, recordingsStored: 1 })
  const line = 'stored recordings may lack the lock of their legal hold; it is tried again'
  expect(lab.log.lines.map(({ message }) => message)).toEqual([line, `over: ${line}`])
})

test('a recording that waits for its lock is not refused when a later call is recorded into the same file', async () => {
  let isRefused = true
  const { call, recorder } = await storedUnlocked(() => isRefused)
  const later = aRecordedCall(lab.time, { path: call.path })
  lab.write(later.path)

  for (const event of [later.start(), later.stop(), later.end()]) recorder.hear(event, recordedDomain, recordedLeg)
  await lab.until(async () => (await lab.recordings()).filter(({ state }) => state === 'stored').length === 2)
  isRefused = false
  await lab.until(() => lab.notes().length === 0)

  expect(lab.ports.recordingFiles.held.size).toBe(1)
  expect(recorder.counters()).toMatchObject({ recordingsRefused: 0, recordingsStored: 2 })
})

test('a recording whose lock is refused keeps its note, by which another connector sets the lock', async () => {
  let isRefused = true
  await storedUnlocked(() => isRefused)
  expect(lab.notes()).toHaveLength(1)

  lab.connector()
  await lab.until(() => lab.ports.recordingFiles.held.size === 1)
  isRefused = false
  await lab.until(() => lab.notes().length === 0)

  expect(lab.ports.recordingFiles.held.size).toBe(1)
})
