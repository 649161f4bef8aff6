import type { ExpectedRecording, Recording, RecordingPlace, StoredObject } from './recording.ts'

/** Where a list of recordings goes on: behind this one. */
export type RecordingCursor = Recording

/** How the end of an upload was taken. */
export type StoredOutcome =
  /** It is stored, by this call or by an earlier one that told the same bytes. */
  | 'stored'
  /** Another uploader has it, or has stored it. */
  | 'claim_lost'
  /** It was deleted: what was uploaded has to go again. */
  | 'gone'

/** How long a call may last before its recordings count as ended, when nobody tells of its end: 24 hours. */
export const longestCallMs = 86_400_000

/** That a deleted domain may have left recordings. */
export interface LeftRecordings {
  readonly domain: string
  /** For how many days after they began they are kept. */
  readonly retentionDays: number
  /** When this was noted last, epoch milliseconds. */
  readonly leftAt: number
}

/**
 * The records of recordings, which outlive their domains. Every method works inside the one domain that it is given, but for
 * {@link listOverdue}, {@link listDoomed} and {@link listLeft}.
 * Reads by place and by call are consistent. What was deleted, or failed, is kept for 400 days, as long as CDRs are.
 */
export interface RecordingStore {
  /**
   * Writes an expected recording. One that is there already keeps what it has and learns what it lacked (`endedAt`,
   * `presenceId`, `leg`, `createdTime`, `engine`, `path`). Answers the recording as it is then.
   */
  expect(recording: ExpectedRecording): Promise<Recording>
  read(place: RecordingPlace): Promise<Recording | undefined>
  /** The recordings of a call, of every state, oldest beginning first. */
  list(domain: string, uuid: string): Promise<Recording[]>
  /**
   * Takes an expected or failed recording for an uploader until a moment (epoch milliseconds), with what was begun of
   * its upload; nothing while another uploader has it at `now`, and when it is stored, deleted or not there. The
   * uploader that has it gets it again.
   */
  claim(
    place: RecordingPlace,
    by: string,
    times: { readonly now: number; readonly until: number },
  ): Promise<Recording | undefined>
  /**
   * Keeps a claim until a moment, with the id of the upload that was begun where one is given; `false` when it is not
   * this uploader's any more, or the recording is deleted.
   */
  renew(place: RecordingPlace, by: string, until: number, uploadId?: string): Promise<boolean>
  /** Ends a claim, so that others may take the recording at once. Does nothing when it is not this uploader's. */
  release(place: RecordingPlace, by: string): Promise<void>
  /** Notes that the whole object is in the object store. The claim ends, engine and path are forgotten. */
  markStored(place: RecordingPlace, by: string, object: StoredObject): Promise<StoredOutcome>
  /**
   * Notes that no object came (`at`, epoch milliseconds): `true` exactly once, for whoever is to tell of it. `false`
   * when it is not expected any more or an uploader has it at that moment.
   */
  markFailed(place: RecordingPlace, at: number): Promise<boolean>
  /**
   * Notes that it is deleted. `held`: a legal hold keeps it, nothing changes. `gone`: it is not there, or was deleted
   * before. The object is to be removed after this, and {@link markRemoved} to be told.
   */
  markDeleted(place: RecordingPlace, at: number): Promise<'deleted' | 'held' | 'gone'>
  /**
   * Notes that the object of a deleted recording was removed. `false` when it is not deleted, or an uploader may still
   * have it at `at` (epoch milliseconds) and so bring an object after this: it stays on {@link listDoomed}.
   */
  markRemoved(place: RecordingPlace, at: number): Promise<boolean>
  /** Sets or ends the legal hold; answers the recording as it is then, or nothing when it is deleted or not there. */
  setHold(place: RecordingPlace, isHeld: boolean): Promise<Recording | undefined>
  /**
   * Expected recordings of all domains whose end was before a moment (epoch milliseconds), oldest end first; one whose
   * end nobody told counts as ended {@link longestCallMs} after its beginning. A change of the last seconds may be
   * missing.
   */
  listOverdue(before: number, limit: number): Promise<Recording[]>
  /**
   * Stored recordings of a domain that began before a moment (epoch milliseconds), and not before `from` where that is
   * given, and are not held, oldest first. A change of the last seconds may be missing.
   */
  listExpired(domain: string, before: number, limit: number, from?: number): Promise<Recording[]>
  /**
   * Recordings of all domains that were deleted before a moment (epoch milliseconds) and whose object is not known to be
   * removed, oldest first: to be removed by whoever finds them. A change of the last seconds may be missing.
   */
  listDoomed(before: number, limit: number): Promise<Recording[]>
  /** Every recording of a domain, held and deleted ones too, by call and id. Fewer than the limit: there are no more. */
  page(domain: string, limit: number, after?: RecordingCursor): Promise<Recording[]>
  /**
   * Notes that a domain is gone and may have left recordings. There is one note for each name: of two retentions the longer
   * one stays, of two moments the later.
   */
  leave(left: LeftRecordings): Promise<void>
  /** The notes of {@link leave}, by domain, behind one where it is given. Fewer than the limit: there are no more. */
  listLeft(limit: number, after?: string): Promise<LeftRecordings[]>
  /** Removes the note of a domain that was left before a moment (epoch milliseconds); a later one stays. */
  forgetLeft(domain: string, before: number): Promise<void>
}
