import { createHash } from 'node:crypto'
import type { Recorder } from '../../../connector/recordings/recorder.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import { type Bound, checkAllInvariants } from './invariants.ts'
import { type RecorderLab, aRecordedCall, aWavFile, recordedLeg } from '../connector/recorder-lab.ts'
import { aDomain } from '../records/records.ts'

const mebi = 1024 * 1024

/** The tenant that no fault concerns; one call of it is recorded while the fault lasts. */
const otherDomain = 'b.example.com'

/** The words spoken in every recording of these tests: only a caller who plays it may hear them. */
const spoken = 'my card is 4929-1234-5678-9012'

/** A WAV file of so many samples in which {@link spoken} is said. */
export function aSpokenFile(samples: number): Buffer {
  const bytes = aWavFile(samples)
  bytes.write(spoken, 1_000)
  return bytes
}

/** The acts of recorders on the stores of a lab, and the other tenant's recording. */
export interface RecorderWatch {
  /** The other tenant's call has begun, and is heard by these. */
  begin(recorders: readonly Recorder[]): Promise<void>
  /** Checks that the present notes contain none of the spoken words. */
  readNotes(): Promise<void>
  /** The fault is over and the other tenant's call ends; resolves when its recording is stored and reported. */
  end(recorders: readonly Recorder[]): Promise<void>
  /** Ends the test: every invariant is checked. */
  check(recorders: readonly Recorder[], given?: CheckGiven): Promise<void>
}

/** Facts that only the test knows. */
interface CheckGiven {
  readonly bounds?: readonly Bound[]
  /** Uploads that were begun and not ended; none where absent. */
  readonly uploadsLeft?: number
}

/** Watches a lab from now on. */
export async function watchRecorders(lab: RecorderLab): Promise<RecorderWatch> {
  const { ports, time } = lab
  const acknowledged: { readonly what: string; readonly isFound: () => Promise<boolean> }[] = []
  const sent: PlatformEvent[] = []
  const notes: string[] = []
  const most = { uploads: 0, partBytes: 0, wholeBytes: 0 }
  let uploads = 0
  let backAfterMs = Infinity
  watchStores()
  const call = aRecordedCall(time, { path: 'other.wav' })
  const bytes = aSpokenFile(3_000)
  await ports.domains.create(aDomain({ name: otherDomain, createdAt: call.startedAt - 3_600_000 }))
  lab.write(call.path, bytes)

  function watchStores(): void {
    const { events, recordings, recordingFiles } = ports
    const publish = events.publish.bind(events)
    events.publish = async (batch) => {
      sent.push(...batch)
      const refused = await publish(batch)
      for (const { id } of batch.filter((event) => !refused.includes(event.id))) {
        const isFound = async () => events.published.some((event) => event.id === id)
        acknowledged.push({ what: `event ${id}`, isFound })
      }
      return refused
    }
    const expectRecording = recordings.expect.bind(recordings)
    const markStored = recordings.markStored.bind(recordings)
    recordings.expect = async (recording) => {
      const answer = await expectRecording(recording)
      acknowledged.push({
        what: `that ${recording.name} is expected`,
        isFound: async () => (await recordings.read(recording)) !== undefined,
      })
      return answer
    }
    recordings.markStored = async (place, ...more) => {
      const answer = await markStored(place, ...more)
      const isFound = async () => (await recordings.read(place))?.state === 'stored'
      if (answer === 'stored') acknowledged.push({ what: `that ${place.uuid} is stored`, isFound })
      return answer
    }
    const put = recordingFiles.put.bind(recordingFiles)
    const putPart = recordingFiles.putPart.bind(recordingFiles)
    const completeUpload = recordingFiles.completeUpload.bind(recordingFiles)
    const stored = (key: string) => {
      acknowledged.push({ what: `object ${key}`, isFound: async () => recordingFiles.files.has(key) })
    }
    recordingFiles.put = async (key, type, body) => {
      most.wholeBytes = Math.max(most.wholeBytes, body.size)
      await counted(() => put(key, type, body))
      stored(key)
    }
    recordingFiles.putPart = async (upload, number, body) => {
      most.partBytes = Math.max(most.partBytes, body.size)
      return counted(() => putPart(upload, number, body))
    }
    recordingFiles.completeUpload = async (upload, parts) => {
      const isDone = await completeUpload(upload, parts)
      if (isDone) stored(upload.key)
      return isDone
    }
  }

  async function counted<T>(work: () => Promise<T>): Promise<T> {
    uploads += 1
    most.uploads = Math.max(most.uploads, uploads)
    try {
      return await work()
    } finally {
      uploads -= 1
    }
  }

  const ofOther = async () => {
    const recordings = await ports.recordings.page(otherDomain, 10)
    const objects = recordings.map(({ key }) => ports.recordingFiles.files.get(key)?.bytes.equals(bytes))
    const published = ports.events.published.filter(({ domain }) => domain === otherDomain)
    return [
      recordings.map(({ uuid, name, state, sha256 }) => ({ uuid, name, state, sha256 })),
      objects,
      published.map(({ name, uuid, fields }) => [name, uuid, fields['Recording-SHA256']]),
    ]
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const asEver = [
    [{ uuid: call.uuid, name: call.path, state: 'stored', sha256 }],
    [true],
    [['CUSTOM->svc::recording_stored', call.uuid, sha256]],
  ]

  return {
    begin: async (recorders) => {
      lab.up.add(call.uuid)
      for (const one of recorders) one.hear(call.start(), otherDomain, recordedLeg)
      await lab.until(async () => (await ports.recordings.page(otherDomain, 10)).length === 1, 0)
    },
    readNotes: async () => {
      notes.push(...lab.disk.notes.values())
    },
    end: async (recorders) => {
      const endedAt = time.clock.now()
      lab.up.delete(call.uuid)
      for (const one of recorders) one.hear(call.stop(), otherDomain, recordedLeg)
      await lab.until(async () => !lab.files().includes(call.path), 5_000)
      backAfterMs = time.clock.now() - endedAt
    },
    check: async (recorders, { bounds = [], uploadsLeft = 0 } = {}) => {
      const ids = [...new Set(sent.map(({ uuid }) => uuid))].map((uuid) => ({
        id: ports.events.published.find((event) => event.uuid === uuid)?.id ?? '',
        publishedAs: sent.filter((event) => event.uuid === uuid).map(({ id }) => id),
      }))
      const all = [...(await lab.recordings()), ...(await ports.recordings.page(otherDomain, 10))]
      const objects = [...ports.recordingFiles.files.values()].map((file) => file.bytes.length)
      const counters = recorders.map((one) => one.counters())
      checkAllInvariants({
        acknowledged: await Promise.all(
          acknowledged.map(async ({ what, isFound }) => ({ what, isFound: await isFound() })),
        ),
        events: {
          wanted: all.map(
            ({ uuid }) =>
              ids.find(({ publishedAs }) => publishedAs.some((id) => id.includes(uuid))) ?? {
                id: uuid,
                publishedAs: [],
              },
          ),
          recordedAsLost: 0,
        },
        commands: {
          notHere: 'A recorder reads events and files, and holds nothing by which it could order an engine.',
        },
        others: { before: asEver, after: await ofOther() },
        secrets: {
          values: [spoken],
          seen: [...lab.log.lines, ...sent, ...notes, ...all, ...counters],
        },
        bounds: [
          { of: 'uploads at once', value: most.uploads, limit: 3 * recorders.length },
          { of: 'bytes of a part', value: most.partBytes, limit: 8 * mebi },
          { of: 'bytes of an object that is put at once', value: most.wholeBytes, limit: 16 * mebi },
          { of: 'uploads left open', value: ports.recordingFiles.openUploads().length, limit: uploadsLeft },
          { of: 'notes and files left', value: lab.notes().length + lab.files().length, limit: 0 },
          { of: 'recordings in memory', value: counters.at(-1)?.['recordings'] ?? NaN, limit: 0 },
          ...bounds,
        ],
        sums: [
          { of: 'bytes of recordings', parts: objects, whole: all.reduce((sum, { size = 0 }) => sum + size, 0) },
          { of: 'recordings', parts: [all.filter(({ state }) => state === 'stored').length], whole: all.length },
        ],
        backAfterMs,
      })
    },
  }
}
