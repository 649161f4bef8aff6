import { isOfTenant } from '../../core/domains/tenancy-start.ts'
import type { Ports } from '../../contracts/ports.ts'
import { keepHold } from '../../core/recordings/hold-recordings.ts'
import type { FileStore } from '../../core/files/file-store.ts'
import type { RecordingStore } from '../../core/recordings/recording-store.ts'
import type { Recording } from '../../core/recordings/recording.ts'
import { limited } from '../../core/concurrency/semaphore.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { type FinishDeps, finishRecording } from './finish-recording.ts'
import { mappedPath } from './mapped-path.ts'
import { placeRecording } from './place-recording.ts'
import type { RecordingDisk } from './recording-disk.ts'
import type { RecordingFacts } from './recording-facts.ts'
import { type StoreDeps, storeRecording } from './store-recording.ts'
import { type RecordedCall, expectUnheard } from './unheard-recording.ts'

/** Uploads at a time: each holds a part of 8 MiB at most in memory. */
const uploadsAtOnce = 3

/** Records that are written at a time. */
const recordsAtOnce = 8

/** A file that has not come for so long after its end comes no more. */
const patienceMs = 24 * 3_600_000

/** The least time, by a deployment's settings, between the deletion of a domain and the next one of its name. */
const leastGraceMs = 60_000

/** Where the engines' recordings are. */
export interface RecordingsPlace {
  readonly disk: RecordingDisk
  /** The folder as the engines call it. */
  readonly engineFolder: string
  /** Whether local files stay when they are stored. */
  readonly keepsFiles: boolean
}

export interface AttendDeps extends Time, Pick<FinishDeps, 'tell' | 'noteInCdr'> {
  readonly ports: {
    readonly domains: Pick<Ports['domains'], 'read'>
    readonly recordings: StoreDeps['recordings'] & Pick<RecordingStore, 'list' | 'expect'>
    readonly recordingFiles: StoreDeps['recordingFiles'] & Pick<FileStore, 'hold'>
  }
  /** Absent where the connector reaches no file of the engines. */
  readonly place: RecordingsPlace | undefined
  readonly connectorId: string
  readonly signal: AbortSignal
}

/** How far a recording is after it was looked after. */
export type Attended =
  /** It goes on, or nothing is left to do for this connector for now. */
  | { readonly kind: 'noted' | 'elsewhere' }
  /** Nothing is left to do, for anybody. `bytes` were stored by this attempt or an earlier one. */
  | { readonly kind: 'finished'; readonly storedBytes: number }
  /** It is stored and published, and only the lock of its legal hold may be missing: {@link RecordingAttendant.lock} sets it. */
  | {
      readonly kind: 'unlocked'
      readonly storedBytes: number
      readonly recording: Recording
      readonly problem: unknown
    }
  /** Its file is not whole yet. */
  | { readonly kind: 'unready' }
  /** Its file never came. */
  | { readonly kind: 'given up' }

/** Looks after recordings. */
export interface RecordingAttendant {
  /**
   * Writes the record of a recording, and when it has ended, stores its file and publishes it. May be called again at any
   * time, also by another process after this one was killed anywhere in it.
   */
  attend(facts: RecordingFacts): Promise<Attended>
  /** Locks the object of a stored recording that is held. Answers `finished` or `unlocked`. */
  lock(recording: Recording): Promise<Attended>
  /** See {@link expectUnheard}. */
  attendUnheard(call: RecordedCall): Promise<void>
}

const finished: Attended = { kind: 'finished', storedBytes: 0 }

/** Makes the attendant of recordings, which works on a limited number at a time. */
export function recordingAttendant(parts: AttendDeps): RecordingAttendant {
  const { ports, place, clock } = parts
  const records = limited(recordsAtOnce)
  const uploads = limited(uploadsAtOnce)

  const lock = async (recording: Recording, storedBytes = 0): Promise<Attended> => {
    try {
      await records(() => keepHold(ports, recording))
      return { kind: 'finished', storedBytes }
    } catch (problem) {
      return { kind: 'unlocked', storedBytes, recording, problem }
    }
  }

  const store = async (facts: RecordingFacts, endedAt: number, place: RecordingsPlace): Promise<Attended> => {
    const { recording, isReplaced } = await records(() => placeRecording(ports.recordings, facts))
    if (isReplaced) return finished
    const pieces = mappedPath(facts.path, place.engineFolder)
    const used = { ...parts, ...ports, ...place }
    const end = await uploads(() => storeRecording(used, recording, pieces))
    if (end.kind === 'stored') {
      // The event may wait for its queue, and must not keep others from the object store meanwhile.
      const tell = (await records(() => isOfDomain(parts, facts))) ? parts.tell : unpublished
      await finishRecording({ ...used, tell }, end.recording, { pieces, version: end.version })
      // Last, because a lock that is refused keeps no event and no CDR waiting.
      return lock(end.recording, end.recording.size)
    }
    if (end.kind === 'gone') {
      if (!place.keepsFiles) await place.disk.remove(pieces)
      return finished
    }
    const isHopeless = end.kind === 'unready' && endedAt + patienceMs < clock.now()
    return isHopeless ? { kind: 'given up' } : { kind: end.kind }
  }

  return {
    attend: async (facts) => {
      const { endedAt } = facts
      if (endedAt !== undefined && place !== undefined) return store(facts, endedAt, place)
      await records(() => placeRecording(ports.recordings, facts))
      return endedAt === undefined ? { kind: 'noted' } : finished
    },
    lock: (recording) => lock(recording),
    attendUnheard: (call) =>
      records(async () => {
        if (await isOfDomain(parts, call)) await expectUnheard(ports.recordings, call)
      }),
  }
}

/** Publishes nothing. Recordings of deleted domains are stored until their retention ends, and produce no event for a later tenant. */
const unpublished = async () => true

/** Whether the domain is still the one that the call was of: not deleted, and not another tenant's of the same name. */
async function isOfDomain(
  { ports }: AttendDeps,
  { domain, startedAt }: Pick<RecordingFacts, 'domain' | 'startedAt'>,
): Promise<boolean> {
  return isOfTenant(await ports.domains.read(domain), startedAt, leastGraceMs)
}
