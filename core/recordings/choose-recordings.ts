import type { AccessScope } from '../access/acl.ts'
import { ownPresenceId } from '../access/permission.ts'
import { DomainError } from '../errors.ts'
import type { Caller } from '../access/token.ts'
import type { RecordingStore } from './recording-store.ts'
import type { Recording } from './recording.ts'

/** The caller and the call of a request for recordings. */
export interface RecordingsWanted {
  readonly domain: string
  readonly uuid: string
  /** Only what began then or later, epoch milliseconds: older ones are of an earlier domain of the name. */
  readonly since: number
  readonly caller: Pick<Caller, 'kind' | 'username'>
  readonly scope: AccessScope
  readonly name?: string | undefined
}

/** Returns the recordings of a call that a caller may see, oldest first: those of other users' calls are hidden. */
export async function recordingsFor(
  recordings: Pick<RecordingStore, 'list'>,
  { domain, uuid, since, caller, scope, name }: RecordingsWanted,
): Promise<Recording[]> {
  const found = await recordings.list(domain, uuid)
  return found.filter(
    (recording) =>
      recording.startedAt >= since &&
      (scope === 'all' || recording.presenceId === ownPresenceId(caller)) &&
      (name === undefined || recording.name === name),
  )
}

/**
 * Returns the recording that is meant: of those that are stored, the oldest of a media type (any audio where none is
 * named) or of none. Throws `not_found`.
 */
export function chooseRecording(recordings: readonly Recording[], type: string | undefined): Recording {
  const fits = ({ contentType }: Recording) =>
    contentType === undefined ||
    (type === undefined ? contentType.startsWith('audio/') : contentType === type.toLowerCase())
  const chosen = recordings.find((recording) => recording.state === 'stored' && fits(recording))
  if (chosen === undefined) throw noRecording()
  return chosen
}

/** Returns the refusal of a recording that is missing, or hidden from the caller. */
export function noRecording(): DomainError {
  return new DomainError('not_found', 'there is no such recording of this call')
}
