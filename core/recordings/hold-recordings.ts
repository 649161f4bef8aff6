import type { FileStore } from '../files/file-store.ts'
import type { RecordingStore } from './recording-store.ts'
import type { Recording, RecordingPlace } from './recording.ts'
import { type RecordingsWanted, noRecording, recordingsFor } from './choose-recordings.ts'

/** The ports for legal holds. */
export interface HoldDeps {
  readonly recordings: Pick<RecordingStore, 'list' | 'setHold'>
  readonly recordingFiles: Pick<FileStore, 'hold'>
}

/**
 * Sets or ends the legal hold on the recordings of a call, or on those of one name, and returns their number. A recording
 * that is only expected is held, too, and its object when it comes ({@link keepHold}). Throws `not_found` if all are deleted or
 * there are none. An interrupted call leaves a recording held whose object is not locked, and never the reverse: the record is written first
 * when a hold begins, and last when it ends. A repetition completes it.
 */
export async function holdRecordings(deps: HoldDeps, wanted: RecordingsWanted, isHeld: boolean): Promise<number> {
  const found = await recordingsFor(deps.recordings, wanted)
  const set = await Promise.all(found.map((recording) => (isHeld ? begin(deps, recording) : end(deps, recording))))
  const count = set.filter((recording) => recording !== undefined).length
  if (count === 0) throw noRecording()
  return count
}

async function begin({ recordings, recordingFiles }: HoldDeps, place: RecordingPlace): Promise<Recording | undefined> {
  const held = await recordings.setHold(place, true)
  if (held?.state === 'stored') await recordingFiles.hold(held.key, true)
  return held
}

async function end({ recordings, recordingFiles }: HoldDeps, recording: Recording): Promise<Recording | undefined> {
  if (recording.state === 'stored') await recordingFiles.hold(recording.key, false)
  return recordings.setHold(recording, false)
}

/** Locks the object of a recording that was held before it was stored. Call it after the record says that it is stored. */
export async function keepHold(
  {
    recordings,
    recordingFiles,
  }: { readonly recordings: Pick<RecordingStore, 'read'>; readonly recordingFiles: Pick<FileStore, 'hold'> },
  place: RecordingPlace,
): Promise<void> {
  const stored = await recordings.read(place)
  if (stored?.isHeld !== true) return
  await recordingFiles.hold(stored.key, true)
  // A hold that ended meanwhile found no object to unlock, or unlocked it too early.
  if ((await recordings.read(place))?.isHeld !== true) await recordingFiles.hold(stored.key, false)
}
