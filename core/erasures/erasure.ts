import type { CallParty } from './party.ts'

/** What an erasure removes, in this order: later steps find by the marks of earlier ones what belongs to a call. */
export const erasureSteps = ['calls', 'recordings', 'events', 'deliveries', 'exports', 'voicemail'] as const

/** One of {@link erasureSteps}. */
export type ErasureStep = (typeof erasureSteps)[number]

/**
 * How many of each were removed; a run that is killed may have removed some that it did not count. `held` are the
 * recordings that a legal hold has kept.
 */
export interface ErasureCounts {
  readonly cdrs: number
  readonly recordings: number
  readonly held: number
  readonly events: number
  readonly deliveries: number
  readonly exports: number
  readonly voicemails: number
}

/** The identity of an erasure. */
export interface ErasureKey {
  readonly domain: string
  /** UUID. */
  readonly id: string
}

/** The removal of what names one party, from its request to its end. */
export interface ErasureJob extends ErasureKey {
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** The start of the domain's tenancy, epoch milliseconds: nothing that began earlier is the domain's. */
  readonly since: number
  /** Absent once it is done: the job itself must not name the party for longer than it works. */
  readonly party?: CallParty | undefined
  readonly state: 'queued' | 'running' | 'done'
  readonly step: ErasureStep
  /** Where the step goes on; absent at its beginning. */
  readonly after?: string | undefined
  readonly counts: ErasureCounts
  /** 1 at first; rises by one with each change. */
  readonly version: number
}

/** A leg of a call, or an event, that was removed, by its domain. */
export interface ErasedMark {
  readonly domain: string
  readonly uuid: string
}

/** Erasures, kept for 30 days, and the marks of removed calls and events. Reads are consistent. */
export interface ErasureStore {
  /** Writes a new job; if the request is repeated, the existing job stays. */
  create(job: ErasureJob): Promise<void>
  read(place: ErasureKey): Promise<ErasureJob | undefined>
  /** Replaces a job whose version is still `job.version - 1`; returns `false` when another run was first. */
  replace(job: ErasureJob): Promise<boolean>
  /** Notes for 30 days that calls or events were removed: longer than a late report of theirs can come. */
  mark(domain: string, uuids: readonly string[]): Promise<void>
  /** Returns those of up to 100 that are marked. */
  listMarked(legs: readonly ErasedMark[]): Promise<ErasedMark[]>
}

/** The queue of erasures to work on. */
export interface ErasureQueue {
  send(place: ErasureKey): Promise<void>
}
