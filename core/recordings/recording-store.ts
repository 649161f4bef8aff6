import type { ExpectedRecording, Recording, RecordingKey, StoredObject } from './recording.ts'

/** The recording after which a list continues. */
export type RecordingCursor = Pick<Recording, 'uuid' | 'id'>

/** A leg: its domain and its uuid. */
export type RecordedLeg = Pick<RecordingKey, 'domain' | 'uuid'>

/** The result of the end of an upload. */
export type StoredOutcome =
  /** It is stored, by this call or by an earlier one with the same bytes. */
  | 'stored'
  /** Another uploader has it, or has stored it. */
  | 'claim_lost'
  /** It was deleted: the uploaded object must be removed. */
  | 'gone'

/** The age after which the recordings of a call count as ended if no end was reported: 24 hours. */
export const longestCallMs = 86_400_000

/** A deleted domain that may have left recordings. */
export interface LeftRecordings {
  readonly domain: string
  readonly retentionDays: number
  /** The retention of its CDRs, which outlive it, too; absent: the deployment's. */
  readonly cdrRetentionDays?: number | undefined
  /** Of several domains of the name one set no such retention: the deployment's counts too, where it is longer. */
  readonly hasUsualCdrs?: boolean
  /** The time of the latest note, epoch milliseconds. */
  readonly leftAt: number
}

/**
 * The records of recordings, which outlive their domains. Every method works inside the given domain, except {@link
 * listOverdue}, {@link listDoomed} and {@link listLeft}. Reads by place and by call are consistent. Deleted and failed
 * recordings are kept for 400 days, as long as CDRs are.
 */
export interface RecordingStore {
  /**
   * Writes an expected recording. An existing one keeps its fields and learns missing ones (`endedAt`, `presenceId`,
   * `leg`, `createdTime`, `engine`, `path`). Returns the resulting recording.
   */
  expect(recording: ExpectedRecording): Promise<Recording>
  read(place: RecordingKey): Promise<Recording | undefined>
  /**
   * Returns those of up to 100 legs that may have recordings: all for which {@link expect} was called in the last 30
   * days. Consistent: it finds a leg as soon as its first recording can be read.
   */
  listRecorded(legs: readonly RecordedLeg[]): Promise<RecordedLeg[]>
  /**
   * Returns the last legs of a domain that recorded into a file of this name and whose uuid it is not, the newest
   * first: of those for which {@link expect} was called in the last 30 days. A leg that recorded several times may
   * stand there repeatedly. Without a domain the only one that has such legs counts; if several have, legs of two are
   * returned. Consistent.
   */
  listByFile(name: string, domain?: string): Promise<RecordedLeg[]>
  /** The recordings of a call, of every state, oldest beginning first. */
  list(domain: string, uuid: string): Promise<Recording[]>
  /**
   * Claims an expected or failed recording for an uploader until a moment (epoch milliseconds), and returns it with the
   * state of its upload. Returns nothing while another uploader holds it at `now`, and when it is stored, deleted or
   * missing. The uploader that holds it gets it again.
   */
  claim(
    place: RecordingKey,
    by: string,
    times: { readonly now: number; readonly until: number },
  ): Promise<Recording | undefined>
  /**
   * Keeps a claim until a moment, with the id of the upload that was begun where one is given; `false` when it is not
   * this uploader's any more, or the recording is deleted.
   */
  renew(place: RecordingKey, by: string, until: number, uploadId?: string): Promise<boolean>
  /** Ends a claim, so that others may take the recording at once. Does nothing when it is not this uploader's. */
  release(place: RecordingKey, by: string): Promise<void>
  /** Notes that the whole object is in the object store. The claim ends, engine and path are forgotten. */
  markStored(place: RecordingKey, by: string, object: StoredObject): Promise<StoredOutcome>
  /**
   * Records that no object came (`at`, epoch milliseconds): returns `true` exactly once, to the caller that publishes
   * it. `false` when it is no longer expected or an uploader holds it at that moment.
   */
  markFailed(place: RecordingKey, at: number): Promise<boolean>
  /**
   * Records the deletion. `held`: a legal hold keeps it, nothing changes. `gone`: it is missing, or was deleted before.
   * The caller must then remove the object and call {@link markRemoved}. With `isErased` the record forgets its name
   * and whose call it was, also if it was deleted before.
   */
  markDeleted(place: RecordingKey, at: number, isErased?: boolean): Promise<'deleted' | 'held' | 'gone'>
  /**
   * Notes that the object of a deleted recording was removed. `false` when it is not deleted, or an uploader may still
   * have it at `at` (epoch milliseconds) and so bring an object after this: it stays on {@link listDoomed}.
   */
  markRemoved(place: RecordingKey, at: number): Promise<boolean>
  /** Sets or ends the legal hold; returns the resulting recording, or nothing if it is deleted or missing. */
  setHold(place: RecordingKey, isHeld: boolean): Promise<Recording | undefined>
  /**
   * Lists expected recordings of all domains whose end was before a moment (epoch milliseconds), oldest end first. One
   * without a reported end counts as ended {@link longestCallMs} after its beginning. A change of the last seconds may
   * be missing.
   */
  listOverdue(before: number, limit: number): Promise<Recording[]>
  /**
   * Stored recordings of a domain that began before a moment (epoch milliseconds), and not before `from` where that is
   * given, and are not held, oldest first. A change of the last seconds may be missing.
   */
  listExpired(domain: string, before: number, limit: number, from?: number): Promise<Recording[]>
  /**
   * Lists recordings of all domains that were deleted before a moment (epoch milliseconds) and whose object may still
   * exist, oldest first. The caller removes the objects. A change of the last seconds may be missing.
   */
  listDoomed(before: number, limit: number): Promise<Recording[]>
  /** Every recording of a domain, held and deleted ones too, by call and id. Fewer than the limit: no more exist. */
  page(domain: string, limit: number, after?: RecordingCursor): Promise<Recording[]>
  /**
   * Records that a domain is gone and may have left recordings. There is one note for each name: of two retentions the
   * longer one stays, of two moments the later.
   */
  leave(left: LeftRecordings): Promise<void>
  /**
   * Lists the notes of {@link leave}, by domain, after one if it is given. Fewer notes than the limit mean that there
   * are no more.
   */
  listLeft(limit: number, after?: string): Promise<LeftRecordings[]>
  /** Whether there is a note of {@link leave} about a name: an earlier domain had it. */
  wasLeft(domain: string): Promise<boolean>
  /** Removes the note of a domain that was left before a moment (epoch milliseconds); a later one stays. */
  forgetLeft(domain: string, before: number): Promise<void>
}
