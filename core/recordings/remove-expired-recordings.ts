import { mapAtMost } from '../concurrency/semaphore.ts'
import type { CdrQueue } from '../cdr/cdr-update.ts'
import { longestCallMs } from '../cdr/cdr-of-end.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import { type Domain, tenancyStart } from '../domains/domain.ts'
import type { Clock } from '../time.ts'
import type { FileStore } from './file-store.ts'
import { readKeptDomains } from './left-recordings.ts'
import { recordingUpdate } from './recording-update.ts'
import type { LeftRecordings, RecordingStore } from './recording-store.ts'
import type { Recording } from './recording.ts'
import { retentionDaysOf, retentionMs } from '../client-names/domain-parameters.ts'

/** The dependencies of the use case. */
export interface RemovingExpired {
  readonly domains: Pick<DomainStore, 'list' | 'listDeleted'>
  readonly recordings: Pick<
    RecordingStore,
    'listExpired' | 'listDoomed' | 'markDeleted' | 'markRemoved' | 'page' | 'listLeft' | 'forgetLeft'
  >
  readonly recordingFiles: Pick<FileStore, 'remove'>
  readonly cdrQueue: CdrQueue
  readonly clock: Clock
  /** The time after its deletion for which a domain's name stays reserved, milliseconds. */
  readonly graceMs: number
}

/** The result of one run. */
export interface RemovedExpired {
  readonly expired: number
  /** Objects of recordings that had been deleted before, and were still there or not known to be gone. */
  readonly finished: number
  readonly isCutShort: boolean
}

const pageSize = 100
const sideBySide = 10

/** A deletion removes the object within this time, or was killed. */
const removalMs = 10 * 60_000

/**
 * Removes the recordings that are past their domain's retention, and the objects that a killed deletion left.
 * Recordings under a legal hold stay. The record is marked as deleted before its object is removed, and as removed
 * afterwards, so that the next run completes one that was killed between the two. Recordings of a deleted domain are
 * kept for that domain's retention, also during its deletion and while another domain has its name; of several earlier
 * domains of one name the longest retention counts. The note of a domain stays while its recordings and posts of its
 * calls may still come. Works until all is done or until `until` (epoch milliseconds); each run begins with another
 * domain, so that every domain gets its turn.
 */
export async function removeExpiredRecordings(tools: RemovingExpired, until: number): Promise<RemovedExpired> {
  const { domains, recordings, clock } = tools
  const now = clock.now()
  const end = { expired: 0, finished: 0 }
  end.finished = await eachOf(
    () => recordings.listDoomed(now - removalMs, pageSize),
    (one) => removeObject(tools, one),
    () => clock.now() < until,
  )
  const { present, left } = await readKeptDomains(domains, recordings)
  const days = { own: retentionDaysOf, left: (one: LeftRecordings) => one.retentionDays }
  const spans = spansOf(present, left, tools, days)
  const first = spans.length === 0 ? 0 : Math.floor(now / 3_600_000) % spans.length
  for (const { domain, from, before } of [...spans.slice(first), ...spans.slice(0, first)]) {
    if (clock.now() >= until) return { ...end, isCutShort: true }
    end.expired += await eachOf(
      () => recordings.listExpired(domain, before, pageSize, from),
      (one) => expire(tools, one),
      () => clock.now() < until,
    )
  }
  const names = new Set(present.map(({ name }) => name))
  const isOver = ({ leftAt, cdrRetentionDays = 0 }: LeftRecordings) =>
    leftAt < now - Math.max(longestCallMs, cdrRetentionDays * 86_400_000)
  const old = [...left.values()].filter((one) => isOver(one) && !names.has(one.domain))
  for (const { domain } of old) {
    if (clock.now() >= until) return { ...end, isCutShort: true }
    if ((await recordings.page(domain, 1)).length === 0) await recordings.forgetLeft(domain, now - longestCallMs)
  }
  return { ...end, isCutShort: clock.now() >= until }
}

/** A span of time, epoch milliseconds, whose records of a domain are past their retention. */
export interface ExpiredSpan {
  readonly domain: string
  readonly from: number
  readonly before: number
}

/** The days for which records of a domain are kept, and those of a deleted one. */
export interface RetentionDays {
  readonly own: (domain: Domain) => number
  readonly left: (left: LeftRecordings) => number
}

/** Returns what is past its retention: of present domains, and of those that were left. */
export function spansOf(
  all: readonly Domain[],
  left: ReadonlyMap<string, LeftRecordings>,
  { clock, graceMs }: Pick<RemovingExpired, 'clock' | 'graceMs'>,
  days: RetentionDays,
): ExpiredSpan[] {
  const now = clock.now()
  const startOf = new Map(all.map(({ name, createdAt }) => [name, tenancyStart(createdAt, graceMs)]))
  const own = all.map((domain) => {
    const from = left.has(domain.name) ? (startOf.get(domain.name) ?? 0) : 0
    return { domain: domain.name, from, before: now - retentionMs(days.own(domain)) }
  })
  const earlier = Array.from(left.values(), (one) => {
    const before = Math.min(now - retentionMs(days.left(one)), startOf.get(one.domain) ?? Infinity)
    return { domain: one.domain, from: 0, before }
  })
  return [...own, ...earlier]
}

async function eachOf(
  list: () => Promise<readonly Recording[]>,
  work: (recording: Recording) => Promise<boolean>,
  hasTime: () => boolean,
): Promise<number> {
  const looked = new Set<string>()
  let done = 0
  for (;;) {
    const fresh = (await list()).filter((one) => !looked.has(keyOf(one)))
    const ends = await mapAtMost(fresh, sideBySide, async (one) => {
      if (!hasTime()) return false
      looked.add(keyOf(one))
      return work(one)
    })
    done += ends.filter(Boolean).length
    if (fresh.length === 0 || !hasTime()) return done
  }
}

function keyOf({ domain, uuid, id }: Recording): string {
  return JSON.stringify([domain, uuid, id])
}

async function expire(tools: RemovingExpired, recording: Recording): Promise<boolean> {
  const { recordings, cdrQueue, clock } = tools
  if ((await recordings.markDeleted(recording, clock.now())) !== 'deleted') return false
  const update = recordingUpdate({ ...recording, state: 'deleted' })
  if (update !== undefined) await cdrQueue.send([update])
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
