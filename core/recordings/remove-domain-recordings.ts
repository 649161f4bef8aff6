import type { Clock } from '../ports.ts'
import type { FileStore } from './file-store.ts'
import type { RecordingStore } from './recording-store.ts'
import type { Recording } from './recording.ts'

/** What the use case works with. */
export interface RemovingOfDomain {
  readonly recordings: Pick<RecordingStore, 'page' | 'markDeleted' | 'markRemoved'>
  readonly recordingFiles: Pick<FileStore, 'remove'>
  readonly clock: Clock
}

/** Recordings of one page, and of these how many are removed side by side. */
const pageSize = 200
const sideBySide = 20

/**
 * Removes the objects of a domain's recordings until none is left (`true`) or the time is over (`until`, epoch
 * milliseconds), or an uploader may still bring one. What is done is noted with each record, so that the next call goes
 * on behind it. The objects of those under a legal hold stay, where whoever put the hold on finds them in the bucket. The
 * records themselves go with all others of the domain.
 */
export async function removeDomainRecordings(tools: RemovingOfDomain, domain: string, until: number): Promise<boolean> {
  const { recordings, clock } = tools
  let isAllGone = true
  let after: Recording | undefined
  for (;;) {
    const page = await recordings.page(domain, pageSize, after)
    const there = page.filter(({ state, isRemoved }) => state !== 'deleted' || isRemoved !== true)
    for (let at = 0; at < there.length; at += sideBySide) {
      if (clock.now() >= until) return false
      const ends = await Promise.all(there.slice(at, at + sideBySide).map((one) => removeOne(tools, one)))
      if (ends.includes(false)) isAllGone = false
    }
    after = page.at(-1)
    if (page.length < pageSize) return isAllGone
    if (clock.now() >= until) return false
  }
}

/** Whether no object is left, or comes, that is to go. */
async function removeOne(
  { recordings, recordingFiles, clock }: RemovingOfDomain,
  recording: Recording,
): Promise<boolean> {
  const at = clock.now()
  if ((await recordings.markDeleted(recording, at)) === 'held') return true
  await recordingFiles.remove(recording.key)
  return recordings.markRemoved(recording, at)
}
