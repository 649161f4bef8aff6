import type { CdrQueue } from '../cdr/cdr-update.ts'
import { isOfTenant } from '../domains/domain.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import type { EventSink } from '../events/event-sink.ts'
import type { Clock } from '../time.ts'
import type { RecordingStore } from './recording-store.ts'
import { recordingEvent } from './recording-event.ts'
import { recordingUpdate } from './recording-update.ts'
import type { Recording } from './recording.ts'

/** The dependencies of the use case. */
export interface FailingMissing {
  readonly domains: Pick<DomainStore, 'read'>
  readonly recordings: Pick<RecordingStore, 'listOverdue' | 'claim' | 'release' | 'markFailed'>
  readonly events: EventSink
  readonly cdrQueue: CdrQueue
  readonly clock: Clock
  /** The time after its deletion for which a domain's name stays reserved, milliseconds. */
  readonly graceMs: number
}

/** By the contract: so long after the end of its call a recording without an object has failed. */
const missingAfterMs = 15 * 60_000

const pageSize = 100

/** While the failure is published, no uploader can claim the recording; a killed run holds it no longer. */
export const holdMs = 60_000

/** The name of all runs in claims: each run can end the claims of earlier ones. */
const claimant = 'fail-missing-recordings'

/**
 * Fails expected recordings that have no object 15 minutes after their end, and publishes an event for each. The event
 * is queued before the record is changed, under an id that is derived from the recording: a run that is killed is
 * repeated, and the event exists once. Recordings of deleted domains produce no event. An object that arrives later is
 * nevertheless stored. Works until nothing is overdue or until `until` (epoch milliseconds); returns how many failed.
 */
export async function failMissingRecordings(tools: FailingMissing, until: number): Promise<number> {
  const { recordings, clock } = tools
  const looked = new Set<string>()
  let failed = 0
  for (;;) {
    const page = await recordings.listOverdue(clock.now() - missingAfterMs, pageSize)
    const fresh = page.filter((recording) => !looked.has(nameOf(recording)))
    for (const recording of fresh) {
      if (clock.now() >= until) return failed
      looked.add(nameOf(recording))
      if (await failOne(tools, recording)) failed += 1
    }
    if (fresh.length === 0) return failed
  }
}

async function failOne(tools: FailingMissing, found: Recording): Promise<boolean> {
  const { recordings, cdrQueue, clock } = tools
  const now = clock.now()
  const recording = await recordings.claim(found, claimant, { now, until: now + holdMs })
  if (recording === undefined) return false
  const isDue = recording.state === 'expected'
  const isPublished = isDue && (await publishFailure(tools, recording, now))
  await recordings.release(recording, claimant)
  if (!isPublished || !(await recordings.markFailed(recording, now))) return false
  const update = recordingUpdate({ ...recording, state: 'failed' })
  if (update !== undefined) await cdrQueue.send([update])
  return true
}

/**
 * Publishes the failure of a recording, unless its tenant is gone; a later tenant of the name receives nothing. Returns
 * whether that succeeded.
 */
async function publishFailure(
  { domains, events, graceMs }: FailingMissing,
  recording: Recording,
  now: number,
): Promise<boolean> {
  if (!isOfTenant(await domains.read(recording.domain), recording.startedAt, graceMs)) return true
  return (await events.publish([recordingEvent('recording_failed', recording, now)])).length === 0
}

function nameOf({ domain, uuid, id }: Recording): string {
  return JSON.stringify([domain, uuid, id])
}
