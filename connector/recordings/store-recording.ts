import type { FileStore } from '../../core/files/file-store.ts'
import type { RecordingStore } from '../../core/recordings/recording-store.ts'
import { type Recording, type RecordingPlace, maxRecordingBytes } from '../../core/recordings/recording.ts'
import type { Clock } from '../../core/time.ts'
import { formBytes, isComplete } from './file-form.ts'
import type { RecordingType } from '../../core/recordings/recording-type.ts'
import { FileRefused, typeOfFile } from './mapped-path.ts'
import { putRecording } from './put-recording.ts'
import type { FileVersion, OpenFile, RecordingDisk } from './recording-disk.ts'

/**
 * How long a claim lasts. It is kept before each step, and the longest, 16 MiB to the object store, has less time: when a
 * claim is over, so is what was done with it, and no object comes after it.
 */
export const claimMs = 120_000

/** The outcome of an attempt to store a recording. */
export type StoreEnd =
  /** Its object is in the object store and its record says so. */
  | { readonly kind: 'stored'; readonly recording: Recording; readonly version: FileVersion | undefined }
  /** Another uploader has it now, or has stored it a moment ago. */
  | { readonly kind: 'elsewhere' }
  /** The file is not there, or not whole. */
  | { readonly kind: 'unready' }
  /** It was deleted: neither object nor file may stay. */
  | { readonly kind: 'gone' }

/** The connector that stored a recording publishes it and removes its file within this time, or has died. */
export const finishMs = 60_000

/** The claim was lost while it was used. */
class ClaimLost extends Error {
  override readonly name = 'ClaimLost'
}

export interface StoreDeps {
  readonly recordings: Pick<RecordingStore, 'read' | 'claim' | 'renew' | 'release' | 'markStored'>
  readonly recordingFiles: Pick<
    FileStore,
    'put' | 'head' | 'remove' | 'beginUpload' | 'putPart' | 'listParts' | 'completeUpload' | 'abortUpload'
  >
  readonly disk: Pick<RecordingDisk, 'open'>
  readonly clock: Clock
  /** Names this process in claims. */
  readonly connectorId: string
  /** Ends what is under way between two steps. */
  readonly signal: AbortSignal
}

/**
 * Stores the file of a recording: takes the claim, puts the object, checks that it is there as it should be, and writes
 * the record. After a kill at any point the next attempt continues, by any connector. Throws {@link FileRefused}, and a
 * `DomainError` while a store is away; the claim has then ended.
 */
export async function storeRecording(
  parts: StoreDeps,
  place: RecordingPlace,
  pieces: readonly string[],
): Promise<StoreEnd> {
  const { recordings, disk, clock, connectorId } = parts
  const type = typeOfFile(pieces.at(-1) ?? '')
  const known = await recordings.read(place)
  if (known?.state === 'stored') {
    return isFresh(known, clock) ? { kind: 'elsewhere' } : { kind: 'stored', recording: known, version: undefined }
  }
  if (known?.state === 'deleted') return drop(parts, known, known.claim?.uploadId)
  const file = await disk.open(pieces)
  if (file === undefined) return { kind: 'unready' }
  try {
    if (file.size > maxRecordingBytes) throw new FileRefused('too large')
    if (!isComplete(type, await file.read(0, formBytes), file.size)) return { kind: 'unready' }
    const now = clock.now()
    const claimed = await recordings.claim(place, connectorId, { now, until: now + claimMs })
    if (claimed === undefined) return { kind: 'elsewhere' }
    return await storeClaimed(parts, claimed, file, type)
  } finally {
    await file.close()
  }
}

function isFresh({ storedAt = 0 }: Recording, clock: Clock): boolean {
  return storedAt + finishMs > clock.now()
}

async function storeClaimed(
  parts: StoreDeps,
  recording: Recording,
  file: OpenFile,
  contentType: RecordingType,
): Promise<StoreEnd> {
  const { recordings, recordingFiles, clock, connectorId, signal } = parts
  const { key } = recording
  let uploadId = recording.claim?.uploadId
  const keep = async (begun?: string) => {
    signal.throwIfAborted()
    uploadId = begun ?? uploadId
    const isOwn = await recordings.renew(recording, connectorId, clock.now() + claimMs, begun)
    if (!isOwn) throw new ClaimLost('another uploader has the recording')
  }
  try {
    const sha256 = await putRecording({
      recordingFiles,
      file,
      key,
      contentType,
      uploadId,
      keep,
    })
    const head = await recordingFiles.head(key)
    if (head?.size !== file.size) throw new Error('the object is not as long as its file')
    const object = { size: file.size, sha256, contentType, storedAt: clock.now() }
    const outcome = await recordings.markStored(recording, connectorId, object)
    if (outcome === 'claim_lost') return { kind: 'elsewhere' }
    if (outcome === 'stored') return storedEnd({ ...recording, ...object, state: 'stored' }, file)
    return await drop(parts, recording, undefined)
  } catch (problem) {
    if (problem instanceof ClaimLost) return afterLoss(parts, recording, uploadId)
    await recordings.release(recording, connectorId).catch(() => {})
    throw problem
  }
}

function storedEnd(recording: Recording, { size, changedAt }: FileVersion): StoreEnd {
  return { kind: 'stored', recording, version: { size, changedAt } }
}

async function afterLoss(parts: StoreDeps, recording: Recording, uploadId: string | undefined): Promise<StoreEnd> {
  const now = await parts.recordings.read(recording)
  if (now !== undefined && now.state !== 'deleted') return { kind: 'elsewhere' }
  return drop(parts, recording, uploadId)
}

/** Removes a file that was stored while its recording was deleted. */
async function drop(
  { recordingFiles }: StoreDeps,
  { key }: Pick<Recording, 'key'>,
  uploadId: string | undefined,
): Promise<StoreEnd> {
  if (uploadId !== undefined) await recordingFiles.abortUpload({ key, uploadId })
  await recordingFiles.remove(key)
  return { kind: 'gone' }
}
