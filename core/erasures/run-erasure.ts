import type { AccountStore } from '../accounts/account-store.ts'
import type { CdrStore } from '../cdr/cdr-store.ts'
import type { ExportStore } from '../cdr/exports/export-job.ts'
import type { CallEngine } from '../commands/call-engine.ts'
import type { FileStore } from '../recordings/file-store.ts'
import type { RecordingStore } from '../recordings/recording-store.ts'
import type { Clock } from '../time.ts'
import {
  type ErasureCounts,
  type ErasureJob,
  type ErasureKey,
  type ErasureQueue,
  type ErasureStep,
  type ErasureStore,
  erasureSteps,
} from './erasure.ts'
import { eraseCalls, eraseRecordings } from './erase-records.ts'
import { eraseDeliveries, eraseEvents, eraseExports } from './erase-traces.ts'
import { eraseVoicemail } from './erase-voicemail.ts'
import type { EventTraces } from './event-traces.ts'
import type { CallParty } from './party.ts'

/** The ports of {@link runErasure}. */
export interface ErasurePorts {
  readonly erasures: Pick<ErasureStore, 'read' | 'replace' | 'mark' | 'listMarked'>
  readonly erasureQueue: Pick<ErasureQueue, 'send'>
  readonly cdrs: Pick<CdrStore, 'search' | 'remove'>
  readonly recordings: Pick<RecordingStore, 'list' | 'page' | 'markDeleted' | 'markRemoved'>
  readonly recordingFiles: Pick<FileStore, 'remove'>
  readonly eventTraces: EventTraces
  readonly exports: Pick<ExportStore, 'list' | 'remove'>
  readonly exportFiles: Pick<FileStore, 'remove'>
  readonly accounts: Pick<AccountStore, 'list'>
  readonly engine: Pick<CallEngine, 'run'>
}

/** The dependencies of one page of a step. */
export type PageDeps = ErasurePorts & { readonly clock: Clock }

/** A job that still knows its party. */
export type OpenErasure = ErasureJob & { readonly party: CallParty }

/** The result of one page of a step. */
export interface ErasedPage {
  readonly counts: Partial<ErasureCounts>
  /** Where the step goes on; absent: it is done. */
  readonly after?: string | undefined
}

type EraseStep = (deps: PageDeps, job: OpenErasure) => Promise<ErasedPage>

const steps: Readonly<Record<ErasureStep, EraseStep>> = {
  calls: eraseCalls,
  recordings: eraseRecordings,
  events: eraseEvents,
  deliveries: eraseDeliveries,
  exports: eraseExports,
  voicemail: eraseVoicemail,
}

/** The result of a run. `over`: the job had ended before, or is gone. */
export type ErasureOutcome = 'done' | 'queued again' | 'overtaken' | 'over'

/**
 * Works on an erasure, a page of a step at a time, and records the progress after each: a run that was killed repeats
 * one page, which then finds only what is left. What does not fit into the time (`until`, epoch milliseconds) is queued
 * again. An outage fails the run, which is then repeated.
 */
export async function runErasure(
  ports: ErasurePorts,
  place: ErasureKey,
  { clock, until }: { readonly clock: Clock; readonly until: number },
): Promise<ErasureOutcome> {
  let job = await ports.erasures.read(place)
  for (;;) {
    if (job === undefined || job.state === 'done' || job.party === undefined) return 'over'
    if (clock.now() >= until) {
      await ports.erasureQueue.send({ domain: job.domain, id: job.id })
      return 'queued again'
    }
    const next = nextOf(job, await steps[job.step]({ ...ports, clock }, { ...job, party: job.party }))
    if (!(await ports.erasures.replace(next))) return 'overtaken'
    if (next.state === 'done') return 'done'
    job = next
  }
}

function nextOf(job: ErasureJob, { counts, after }: ErasedPage): ErasureJob {
  const following = after === undefined ? erasureSteps[erasureSteps.indexOf(job.step) + 1] : job.step
  const next = { ...job, counts: sumOf(job.counts, counts), after, version: job.version + 1 }
  if (following !== undefined) return { ...next, state: 'running', step: following }
  const { party: _party, ...ended } = next
  return { ...ended, state: 'done' }
}

function sumOf(one: ErasureCounts, other: Partial<ErasureCounts>): ErasureCounts {
  return {
    cdrs: one.cdrs + (other.cdrs ?? 0),
    recordings: one.recordings + (other.recordings ?? 0),
    held: one.held + (other.held ?? 0),
    events: one.events + (other.events ?? 0),
    deliveries: one.deliveries + (other.deliveries ?? 0),
    exports: one.exports + (other.exports ?? 0),
    voicemails: one.voicemails + (other.voicemails ?? 0),
  }
}
