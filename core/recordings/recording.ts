import { callIdOf } from '../channels/call-id.ts'
import type { Leg } from '../cdr/cdr.ts'

/** The media types of recordings. */
export const recordingTypes = ['audio/mpeg', 'audio/wav', 'video/mp4', 'application/pdf'] as const

/**
 * The state of a recording. `expected`: the engine reported that it began, or that the call was recorded. `stored`: the
 * whole object is in the object store. `failed`: no object came in time; one that comes later is stored all the same.
 * `deleted`: object and record were removed by their owner, or by retention; this is final.
 */
export type RecordingState = 'expected' | 'stored' | 'failed' | 'deleted'

/** The identity of a recording: its call and its id there, inside one domain. */
export interface RecordingKey {
  readonly domain: string
  /** The uuid of the channel that was recorded, in lower case. */
  readonly uuid: string
  /** Distinguishes the recordings of one call; 1 to 64 characters `[A-Za-z0-9_-]`, the same in repeated reports. */
  readonly id: string
}

/** The claim of one uploader on a recording. */
export interface RecordingClaim {
  readonly by: string
  /** Epoch milliseconds; from then on others may take it. */
  readonly until: number
  /** The multipart upload that was begun; the next uploader continues it. */
  readonly uploadId?: string | undefined
}

/** The uploader's facts about an object that it has stored. */
export interface StoredObject {
  /** Bytes. */
  readonly size: number
  /** The digest of the whole object, 64 lower-case hexadecimal digits. */
  readonly sha256: string
  readonly contentType: string
  /** Epoch milliseconds. */
  readonly storedAt: number
  /** What its sound lacks; absent: it is whole, as far as is known. */
  readonly incomplete?: string | undefined
}

/** A recording of a call. */
export interface Recording extends RecordingKey, Partial<StoredObject> {
  /** The name for clients: the file's name at the engine, without its folders. */
  readonly name: string
  readonly key: string
  readonly state: RecordingState
  /** `<login>@<domain>` of the account that the channel belongs to; absent where the engine named none. */
  readonly presenceId?: string | undefined
  /** Leg and beginning (epoch milliseconds) of the channel, by which its CDR is found. */
  readonly leg?: Leg | undefined
  readonly createdTime?: number | undefined
  /** The engine that holds the file, and the file's path there, while it exists. */
  readonly engine?: string | undefined
  readonly path?: string | undefined
  /** The beginning of the recording, epoch milliseconds. */
  readonly startedAt: number
  /** The end of the recording or its call, epoch milliseconds; absent while it is unknown. */
  readonly endedAt?: number | undefined
  /**
   * How the engine ended the recording: `success-…`, or why it could not go on; and the sound that it counts, in
   * milliseconds.
   */
  readonly completionCause?: string | undefined
  readonly reportedMs?: number | undefined
  /** The time at which it failed or was deleted, epoch milliseconds. */
  readonly closedAt?: number | undefined
  readonly claim?: RecordingClaim | undefined
  /** Whether a legal hold keeps it from being deleted, by its owner and by retention. */
  readonly isHeld: boolean
  /** Whether the object of a deleted recording is known to be removed. */
  readonly isRemoved?: boolean | undefined
  /** 1 at first, one more with each change. */
  readonly version: number
}

/** A recording as the engine reports it. */
export type ExpectedRecording = Pick<
  Recording,
  | keyof RecordingKey
  | 'name'
  | 'key'
  | 'presenceId'
  | 'leg'
  | 'createdTime'
  | 'engine'
  | 'path'
  | 'startedAt'
  | 'endedAt'
  | 'completionCause'
  | 'reportedMs'
>

/**
 * Returns the key of a recording's object: `<domain>/<year>/<month>/<day>/<hour>/<uuid>/<id>` of the beginning (epoch
 * milliseconds), UTC. No two recordings have the same. The letters of an id that a path has a meaning for are escaped.
 */
export function recordingKey({ domain, uuid, id }: RecordingKey, startedAt: number): string {
  const [day = '', time = ''] = new Date(startedAt).toISOString().split('T')
  const call = encodeURIComponent(uuid.toWellFormed()).replaceAll('.', '%2E')
  return [domain, ...day.split('-'), time.slice(0, 2), call, id].join('/')
}

/** Returns the name without its ending: the id of its call if the file is named after that. */
export function uuidOfFile(name: string): string {
  return callIdOf(name.replace(/\.[^.]*$/, ''))
}
