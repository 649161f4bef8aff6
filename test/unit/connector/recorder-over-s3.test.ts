import { expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { s3RecordingFiles } from '../../../adapters/s3/s3-file-store.ts'
import { systemClock } from '../../../adapters/system/system-clock.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import { DomainError } from '../../../core/errors.ts'
import { startObjectServer } from '../../support/stores/object-server.ts'
import { opened } from '../../support/processes/opened.ts'
import {
  aRecordedCall,
  aWavFile,
  recordedDomain,
  recordedLeg,
  recorderLab,
} from '../../support/connector/recorder-lab.ts'

const server = opened(startObjectServer)

test('an upload whose last part was lost continues with the parts that the object store has', async () => {
  const lab = await recorderLab()
  const files = s3RecordingFiles({ env: server().env, clock: systemClock, random: systemRandomness })
  const sent: number[] = []
  const failed = Promise.withResolvers<void>()
  const recordingFiles: typeof files = {
    ...files,
    putPart: async (upload, number, body) => {
      sent.push(number)
      if (sent.length !== 3) return files.putPart(upload, number, body)
      server().restart()
      throw new DomainError('store_unavailable', 'the connection was cut')
    },
  }
  const recordings: typeof lab.ports.recordings = {
    ...lab.ports.recordings,
    release: async (place, by) => {
      await lab.ports.recordings.release(place, by)
      failed.resolve()
    },
  }
  const published = Promise.withResolvers<PlatformEvent>()
  const call = aRecordedCall(lab.time)
  const bytes = aWavFile(8_700_000)
  lab.write(call.path, bytes)

  const tell = async (event: PlatformEvent) => {
    published.resolve(event)
    return true
  }
  lab
    .connector({ ports: { ...lab.ports, recordings, recordingFiles }, tell })
    .hear(call.stop(), recordedDomain, recordedLeg)
  await failed.promise
  let fields: PlatformEvent['fields'] = {}
  void published.promise.then((event) => (fields = event.fields))
  while (fields['Recording-SHA256'] === undefined) await lab.time.advance(1_000)
  await lab.until(async () => lab.notes().length === 0)

  const [recording] = await lab.recordings()
  expect(sent).toEqual([1, 2, 3, 3])
  expect(recording).toMatchObject({ state: 'stored', size: bytes.length, sha256: fields['Recording-SHA256'] })
  const object = await files.read(recording?.key ?? '', bytes.length)
  expect(object !== undefined && Buffer.compare(object, bytes)).toBe(0)
  expect(await files.head(recording?.key ?? '')).toMatchObject({ contentType: 'audio/wav', state: 'ready' })
  await lab.close()
})
