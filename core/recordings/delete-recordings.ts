import { DomainError } from '../errors.ts'
import type { Clock, Ports } from '../ports.ts'
import { type RecordingsWanted, noRecording, recordingsFor } from './choose-recordings.ts'
import { recordingNews } from './recording-news.ts'
import type { Recording } from './recording.ts'

/** What deletes recordings. */
export interface RecordingRemover {
  readonly recordings: Pick<Ports['recordings'], 'list' | 'markDeleted' | 'markRemoved'>
  readonly recordingFiles: Pick<Ports['recordingFiles'], 'remove'>
  readonly cdrQueue: Pick<Ports['cdrQueue'], 'send'>
}

/**
 * Deletes the recordings of a call, or those of one name, and answers how many there were. Throws `not_found` where the
 * call has none, and `conflict` where one is under legal hold: then none is deleted that was not before the hold was
 * seen. A repetition makes good what an earlier one left undone.
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
    readonly recordings: Pick<Ports['recordings'], 'markRemoved'>
  },
  recording: Recording,
  now: number,
): Promise<void> {
  const news = recordingNews({ ...recording, state: 'deleted' })
  if (news !== undefined && (await cdrQueue.send([news])).length > 0) {
    throw new DomainError('store_unavailable', 'the queue of CDRs did not take the news, try again')
  }
  await recordingFiles.remove(recording.key)
  await recordings.markRemoved(recording, now)
}

function heldBack(): DomainError {
  return new DomainError('conflict', 'a legal hold keeps the recording: end the hold first')
}
