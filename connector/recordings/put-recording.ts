import { createHash } from 'node:crypto'
import type { FileBody, FileStore, Upload, UploadedPart } from '../../core/files/file-store.ts'
import type { FileVersion, OpenFile } from './recording-disk.ts'

/** A recording up to this size is stored at once, a larger one in parts: 16 MiB, by the contract. */
const wholeBytes = 16 * 1024 * 1024

/** The size of every part but the last. One is in memory for each upload under way. */
const partBytes = 8 * 1024 * 1024

/** Read from the disk at a time. */
const chunkBytes = 256 * 1024

/** The file is not what it was when it was opened: somebody still writes it. */
class FileChanged extends Error {
  override readonly name = 'FileChanged'
}

export interface PutDeps {
  readonly recordingFiles: Pick<FileStore, 'put' | 'beginUpload' | 'putPart' | 'listParts' | 'completeUpload'>
  readonly file: OpenFile
  readonly key: string
  readonly contentType: string
  /** The upload that an earlier attempt began. */
  readonly uploadId: string | undefined
  /** Called before each step: keeps the claim, with the upload that was begun; throws when it is lost or time is over. */
  readonly keep: (uploadId?: string) => Promise<void>
}

/**
 * Puts a file into the object store and returns the SHA-256 of its bytes, in lower-case hexadecimal digits. The store
 * checks every byte against a checksum. An upload in parts continues with the parts that the store has. Throws {@link
 * FileChanged}.
 */
export async function putRecording(parts: PutDeps): Promise<string> {
  const { file, recordingFiles, key, contentType, keep } = parts
  await keep()
  if (file.size > wholeBytes) return putInParts(parts)
  const sha256 = await hashOf(file)
  await recordingFiles.put(key, contentType, { bytes: chunksOf(file), size: file.size, sha256 })
  await checkUnchanged(file)
  return sha256
}

async function putInParts(parts: PutDeps): Promise<string> {
  const { recordingFiles, file, key, contentType, keep } = parts
  const begun = parts.uploadId === undefined ? undefined : { key, uploadId: parts.uploadId }
  const known = begun && (await recordingFiles.listParts(begun))
  const upload = begun !== undefined && known !== undefined ? begun : await recordingFiles.beginUpload(key, contentType)
  await keep(upload.uploadId)
  const whole = createHash('sha256')
  const all: UploadedPart[] = []
  for (let offset = 0; offset < file.size; offset += partBytes) {
    const bytes = await file.read(offset, Math.min(partBytes, file.size - offset))
    whole.update(bytes)
    all.push(await putOne(parts, upload, { number: all.length + 1, bytes, known }))
  }
  await checkUnchanged(file)
  await keep()
  if (!(await recordingFiles.completeUpload(upload, all))) throw new FileChanged('the upload is not known any more')
  return whole.digest('hex')
}

/** Stores a part, unless the store has just these bytes already. */
async function putOne(
  { recordingFiles, keep }: PutDeps,
  upload: Upload,
  part: { readonly number: number; readonly bytes: Buffer; readonly known: readonly UploadedPart[] | undefined },
): Promise<UploadedPart> {
  const { number, bytes } = part
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const there = part.known?.find((one) => one.number === number)
  if (there !== undefined && there.size === bytes.length && there.sha256 === sha256) return there
  await keep()
  return recordingFiles.putPart(upload, number, bodyOf(bytes, sha256))
}

function bodyOf(bytes: Buffer, sha256: string): FileBody {
  async function* once() {
    yield bytes
  }
  return { bytes: once(), size: bytes.length, sha256 }
}

async function* chunksOf(file: OpenFile): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < file.size; offset += chunkBytes) {
    yield await file.read(offset, Math.min(chunkBytes, file.size - offset))
  }
}

/** Returns the SHA-256 of a file, in lower-case hexadecimal digits. */
export async function hashOf(file: OpenFile): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunksOf(file)) hash.update(chunk)
  return hash.digest('hex')
}

async function checkUnchanged(file: OpenFile): Promise<void> {
  if (!isSame(file, await file.look())) throw new FileChanged('the file was written while it was read')
}

/** Returns whether a file has the same content, as far as its length and modification time show. */
export function isSame(before: FileVersion, after: FileVersion): boolean {
  return before.size === after.size && before.changedAt === after.changedAt
}
