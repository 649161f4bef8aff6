import { DomainError } from '../errors.ts'
import type { RecordingStore } from './recording-store.ts'
import type { FileHead, FileStore } from './file-store.ts'
import { type RecordingsWanted, chooseRecording, noRecording, recordingsFor } from './choose-recordings.ts'
import { dispositionOf } from './download-name.ts'
import { type Recording, recordingTypes } from './recording.ts'

const linkSeconds = 300

/** The most bytes that are answered inline: 4 MiB. A function answers 6 MB at most, of which base64 takes a third. */
const maxInlineBytes = 4 * 1024 * 1024

/** The requested recording, and the file name of its download. */
export interface RecordingRequest extends RecordingsWanted {
  readonly type?: string | undefined
  readonly fileName?: string | undefined
}

/** A recording that can be read now. */
export interface ReadableRecording {
  readonly recording: Recording
  readonly contentType: string
  readonly disposition: string
  /** Bytes. */
  readonly size: number
}

type Reader = {
  readonly recordings: Pick<RecordingStore, 'list'>
  readonly recordingFiles: Pick<FileStore, 'head'>
}

/**
 * Finds the requested recording and checks that its object can be read, so that no client is redirected to an error
 * page. Throws `not_found` without recording or object, and `conflict` while the object is in an archive.
 */
export async function findRecording(
  { recordings, recordingFiles }: Reader,
  request: RecordingRequest,
): Promise<ReadableRecording> {
  const recording = chooseRecording(await recordingsFor(recordings, request), request.type)
  const head = await recordingFiles.head(recording.key)
  if (head === undefined) throw noRecording()
  requireReady(head)
  const disposition = dispositionOf(request.fileName)
  return { recording, contentType: mediaType(recording.contentType), disposition, size: head.size }
}

/** Returns a link to a recording. */
export function linkTo(
  { recordingFiles }: { readonly recordingFiles: Pick<FileStore, 'sign'> },
  { recording, contentType, disposition }: ReadableRecording,
) {
  return recordingFiles.sign({ key: recording.key, contentType, disposition, seconds: linkSeconds })
}

/** Returns the bytes of a recording. Throws `bad_request` for one that is larger than {@link maxInlineBytes}. */
export async function bytesOf(
  { recordingFiles }: { readonly recordingFiles: Pick<FileStore, 'read'> },
  { recording, size }: ReadableRecording,
): Promise<Uint8Array> {
  if (size > maxInlineBytes) throw tooLarge(size)
  const bytes = await recordingFiles.read(recording.key, maxInlineBytes)
  if (bytes === undefined) throw noRecording()
  return bytes
}

/** A recording as a list shows it. */
export interface ListedRecording {
  readonly uuid: string
  readonly name: string
  readonly 'content-type': string | undefined
  readonly size: number | undefined
  /** Epoch milliseconds. */
  readonly createdOn: number
  readonly status: Recording['state']
  /** SHA-256 of the object in hexadecimal. */
  readonly hash: string | undefined
  /** Absent: it is whole, as far as is known. */
  readonly incomplete?: true
  /** What its sound lacks. */
  readonly reason?: string
}

/** Returns the recordings of a call that a caller may see, whatever their state, oldest first. */
export async function listRecordings(
  recordings: Pick<RecordingStore, 'list'>,
  wanted: RecordingsWanted,
): Promise<ListedRecording[]> {
  return (await recordingsFor(recordings, wanted)).map(listed)
}

function listed({ uuid, name, contentType, size, startedAt, state, sha256, incomplete }: Recording): ListedRecording {
  return {
    uuid,
    name,
    'content-type': contentType,
    size,
    createdOn: startedAt,
    status: state,
    hash: sha256,
    ...(incomplete !== undefined && { incomplete: true, reason: incomplete }),
  }
}

function requireReady({ state }: FileHead): void {
  if (state === 'ready') return
  const what = state === 'restoring' ? 'being restored' : 'archived and has to be restored'
  throw new DomainError('conflict', `the recording is ${what}: try again later`)
}

/** Returns the type that a browser sees: one of the types of recordings, or plain bytes. */
function mediaType(contentType: string | undefined): string {
  return recordingTypes.find((type) => type === contentType) ?? 'application/octet-stream'
}

function tooLarge(size: number): DomainError {
  const text = `the recording has ${size} bytes, and ${maxInlineBytes} (4 MiB) at most are answered without a redirect`
  return new DomainError('bad_request', `${text}: ask without redirect=false`)
}
