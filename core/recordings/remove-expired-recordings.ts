import type { CdrQueue } from '../cdr/cdr-news.ts'
import type { Clock, DomainStore } from '../ports.ts'
import type { FileStore } from './file-store.ts'
import { recordingNews } from './recording-news.ts'
import type { RecordingStore } from './recording-store.ts'
import type { Recording } from './recording.ts'
import { retentionMs } from './retention.ts'

/** What the use case works with. */
export interface RemovingExpired {
  readonly domains: Pick<DomainStore, 'list'>
  readonly recordings: Pick<RecordingStore, 'listExpired' | 'listDoomed' | 'markDeleted' | 'markRemoved'>
  readonly recordingFiles: Pick<FileStore, 'remove'>
  readonly cdrQueue: CdrQueue
  readonly clock: Clock
}

/** What one run came to. */
export interface RemovedExpired {
  /** Recordings that were past their time. */
  readonly expired: number
  /** Objects of recordings that had been deleted before, and were still there or not known to be gone. */
  readonly finished: number
  /** Whether the time was over before all was done. */
  readonly isCutShort: boolean
}

/** Recordings of one page, and of these how many are removed side by side. */
const pageSize = 100
const sideBySide = 10

/** Whoever deletes a recording removes its object himself within this time, or was killed. */
const graceMs = 10 * 60_000

/**
 * Removes the recordings that are past their domain's retention, and the objects that somebody who was killed left
 * behind a deleted record. What is under a legal hold stays. A record says that it is deleted before its object goes, and
 * that the object is gone after: killed between the two, the next run ends it. Works until all is done or the time is
 * over (`until`, epoch milliseconds); each run begins with another domain, so that none waits for ever.
 */
export async function removeExpiredRecordings(tools: RemovingExpired, until: number): Promise<RemovedExpired> {
  const { domains, recordings, clock } = tools
  const now = clock.now()
  const end = { expired: 0, finished: 0 }
  end.finished = await eachOf(
    () => recordings.listDoomed(now - graceMs, pageSize),
    (one) => removeObject(tools, one),
    () => clock.now() < until,
  )
  const all = await domains.list()
  const first = all.length === 0 ? 0 : Math.floor(now / 3_600_000) % all.length
  for (const domain of [...all.slice(first), ...all.slice(0, first)]) {
    if (clock.now() >= until) return { ...end, isCutShort: true }
    const before = now - retentionMs(domain)
    end.expired += await eachOf(
      () => recordings.listExpired(domain.name, before, pageSize),
      (one) => expire(tools, one),
      () => clock.now() < until,
    )
  }
  return { ...end, isCutShort: clock.now() >= until }
}

/** Works through pages until one has nothing new; answers how much of it was done. */
async function eachOf(
  list: () => Promise<readonly Recording[]>,
  work: (recording: Recording) => Promise<boolean>,
  hasTime: () => boolean,
): Promise<number> {
  const looked = new Set<string>()
  let done = 0
  for (;;) {
    const fresh = (await list()).filter(({ domain, uuid, id }) => !looked.has(JSON.stringify([domain, uuid, id])))
    for (let at = 0; at < fresh.length; at += sideBySide) {
      if (!hasTime()) return done
      const some = fresh.slice(at, at + sideBySide)
      for (const { domain, uuid, id } of some) looked.add(JSON.stringify([domain, uuid, id]))
      const ends = await Promise.all(some.map(work))
      done += ends.filter(Boolean).length
    }
    if (fresh.length === 0) return done
  }
}

async function expire(tools: RemovingExpired, recording: Recording): Promise<boolean> {
  const { recordings, cdrQueue, clock } = tools
  if ((await recordings.markDeleted(recording, clock.now())) !== 'deleted') return false
  const news = recordingNews({ ...recording, state: 'deleted' })
  if (news !== undefined) await cdrQueue.send([news])
  await removeObject(tools, recording)
  return true
}

async function removeObject(
  { recordings, recordingFiles, clock }: Pick<RemovingExpired, 'recordings' | 'recordingFiles' | 'clock'>,
  recording: Recording,
): Promise<boolean> {
  const at = clock.now()
  await recordingFiles.remove(recording.key)
  return recordings.markRemoved(recording, at)
}
