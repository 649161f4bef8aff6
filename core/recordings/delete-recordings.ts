import { DomainError } from '../errors.ts'
import type { RecordingStore } from './recording-store.ts'
import type { FileStore } from './file-store.ts'
import type { CdrQueue } from '../cdr/cdr-update.ts'
import type { Clock } from '../time.ts'
import { type RecordingsWanted, noRecording, recordingsFor } from './choose-recordings.ts'
import { recordingUpdate } from './recording-update.ts'
import type { Recording } from './recording.ts'

/** The ports for deleting recordings. */
export interface RecordingRemover {
  readonly recordings: Pick<RecordingStore, 'list' | 'markDeleted' | 'markRemoved'>
  readonly recordingFiles: Pick<FileStore, 'remove'>
  readonly cdrQueue: Pick<CdrQueue, 'send'>
}

/**
 * Deletes the recordings of a call, or those of one name, and returns their number. Throws `not_found` when the call
 * has none, and `conflict` when one is under legal hold: then only those are deleted that were deleted before the hold
 * was seen. A repetition completes an interrupted deletion.
 */
export async function deleteRecordings(
  parts: RecordingRemover,
  wanted: RecordingsWanted,
  { clock }: { readonly clock: Clock },
): Promise<number> {
  const found = await recordingsFor(parts.recordings, wanted)
  if (found.length === 0) throw noRecording()
  const left = found.filter(({ state }) => state !== 'deleted')
  if (left.some(({ isHeld }) => isHeld)) throw heldBack()
  const now = clock.now()
  const outcomes = await Promise.all(left.map((recording) => parts.recordings.markDeleted(recording, now)))
  await Promise.all(
    found
      .filter((recording) => recording.isRemoved !== true && outcomes[left.indexOf(recording)] !== 'held')
      .map((recording) => removeObject(parts, recording, now)),
  )
  if (outcomes.includes('held')) throw heldBack()
  return outcomes.filter((outcome) => outcome === 'deleted').length
}

/**
 * Removes the object of a recording that is deleted, and has its CDR say so. While an uploader may still bring it, it
 * stays on the list of those whose object is to be removed.
 */
async function removeObject(
  {
    recordings,
    recordingFiles,
    cdrQueue,
  }: Omit<RecordingRemover, 'recordings'> & {
    readonly recordings: Pick<RecordingStore, 'markRemoved'>
  },
  recording: Recording,
  now: number,
): Promise<void> {
  const update = recordingUpdate({ ...recording, state: 'deleted' })
  if (update !== undefined && (await cdrQueue.send([update])).length > 0) {
    throw new DomainError('store_unavailable', 'the queue of CDRs did not take the update, try again')
  }
  await recordingFiles.remove(recording.key)
  await recordings.markRemoved(recording, now)
}

function heldBack(): DomainError {
  return new DomainError('conflict', 'a legal hold keeps the recording: end the hold first')
}
