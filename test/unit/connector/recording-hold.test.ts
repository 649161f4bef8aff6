import { afterEach, beforeEach, expect, test } from 'vitest'
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
