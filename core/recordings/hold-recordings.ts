import { DomainError } from '../errors.ts'
import type { FileStore } from './file-store.ts'
import type { RecordingStore } from './recording-store.ts'
import type { Recording, RecordingKey } from './recording.ts'
import { type RecordingsWanted, noRecording, recordingsFor } from './choose-recordings.ts'

/** The ports for legal holds. */
export interface HoldDeps {
  readonly recordings: Pick<RecordingStore, 'list' | 'read' | 'setHold'>
  readonly recordingFiles: Pick<FileStore, 'hold'>
}

/** Rounds in which a lock follows a hold that others set and end meanwhile. */
const mostRounds = 5

/**
 * Sets or ends the legal hold on the recordings of a call, or on those of one name, and returns their number. A
 * recording that is only expected is held, too, and its object when it comes ({@link keepHold}). Throws `not_found` if
 * all are deleted or there are none. An interrupted call leaves a recording held whose object is not locked: the record
 * is written first when a hold begins, and last when it ends. A repetition completes it. After the record was written
 * the lock follows it, also where another request changes it meanwhile.
 */
export async function holdRecordings(deps: HoldDeps, wanted: RecordingsWanted, isHeld: boolean): Promise<number> {
  const found = await recordingsFor(deps.recordings, wanted)
  const set = await Promise.all(found.map((recording) => setHold(deps, recording, isHeld)))
  const count = set.filter((recording) => recording !== undefined).length
  if (count === 0) throw noRecording()
  return count
}

async function setHold(deps: HoldDeps, recording: Recording, isHeld: boolean): Promise<Recording | undefined> {
  if (!isHeld && recording.state === 'stored') await deps.recordingFiles.hold(recording.key, false)
  const changed = await deps.recordings.setHold(recording, isHeld)
  if (changed?.state === 'stored') await followHold(deps, recording)
  return changed
}

/** Locks the object of a recording that was held before it came. Call it once the record says that it is stored. */
export async function keepHold(deps: FollowDeps, place: RecordingKey): Promise<void> {
  const stored = await deps.recordings.read(place)
  if (stored?.isHeld === true) await followHold(deps, place)
}

interface FollowDeps extends Pick<HoldDeps, 'recordingFiles'> {
  readonly recordings: Pick<RecordingStore, 'read'>
}

/**
 * Gives an object the lock that its record names, and reads the record again after each change, so that of several
 * callers the last one leaves what the record says. Throws `store_unavailable` when the record changes each time.
 */
async function followHold({ recordings, recordingFiles }: FollowDeps, place: RecordingKey): Promise<void> {
  let record = await recordings.read(place)
  for (let round = 0; round < mostRounds; round += 1) {
    if (record?.state !== 'stored') return
    const { key, isHeld } = record
    await recordingFiles.hold(key, isHeld)
    record = await recordings.read(place)
    if (record?.state === 'stored' && record.isHeld === isHeld) return
  }
  throw new DomainError('store_unavailable', 'the legal hold was changed meanwhile, try again')
}
