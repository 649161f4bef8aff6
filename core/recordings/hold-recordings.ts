import type { RecordingStore } from './recording-store.ts'
import { type RecordingsWanted, noRecording, recordingsFor } from './choose-recordings.ts'

/**
 * Sets or ends the legal hold on the recordings of a call, or on those of one name, and returns their number. A recording
 * that is only expected is held, too. Throws `not_found` if all are deleted or there are none.
 */
export async function holdRecordings(
  recordings: Pick<RecordingStore, 'list' | 'setHold'>,
  wanted: RecordingsWanted,
  isHeld: boolean,
): Promise<number> {
  const found = await recordingsFor(recordings, wanted)
  const set = await Promise.all(found.map((recording) => recordings.setHold(recording, isHeld)))
  const count = set.filter((recording) => recording !== undefined).length
  if (count === 0) throw noRecording()
  return count
}
