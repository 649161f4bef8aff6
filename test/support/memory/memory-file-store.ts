import { createHash } from 'node:crypto'
import { DomainError } from '../../../core/errors.ts'
import {
  type FileBody,
  type FileHead,
  type FileStore,
  type LinkRequest,
  type Upload,
  type UploadedPart,
  minPartBytes,
} from '../../../core/recordings/file-store.ts'
import type { Clock, Randomness } from '../../../core/time.ts'

/** An object in memory. `state` may be set, as an archive would. */
export interface MemoryFile {
  readonly contentType: string
  readonly bytes: Buffer
  state: FileHead['state']
}

/** A bucket in memory, with what can be looked into. */
export interface MemoryFileStore extends FileStore {
  readonly files: Map<string, MemoryFile>
  /** The keys of the objects that are held. */
  readonly held: Set<string>
  /** Every link that was signed, by its address. */
  readonly links: Map<string, LinkRequest>
  /** The ids of the uploads that have begun and not ended. */
  readonly openUploads: () => string[]
}

interface OpenUpload {
  readonly key: string
  readonly contentType: string
  readonly parts: Map<number, { readonly part: UploadedPart; readonly bytes: Buffer }>
}

/** A bucket in memory. Its links lead nowhere. */
export function memoryFileStore({ clock, random }: { clock: Clock; random: Randomness }): MemoryFileStore {
  const files = new Map<string, MemoryFile>()
  const held = new Set<string>()
  const links = new Map<string, LinkRequest>()
  const uploads = new Map<string, OpenUpload>()
  const uploadOf = ({ key, uploadId }: Upload) => [uploads.get(uploadId)].find((open) => open?.key === key)
  return {
    files,
    held,
    links,
    openUploads: () => [...uploads.keys()],
    async sign(link) {
      const url = `https://files.invalid/${link.key}?signature=${random.uuid()}`
      links.set(url, link)
      return { url, expires: clock.now() + link.seconds * 1000 }
    },
    async head(key) {
      const file = files.get(key)
      return file && { size: file.bytes.length, contentType: file.contentType, state: file.state }
    },
    async read(key, maxBytes) {
      const bytes = files.get(key)?.bytes
      return bytes !== undefined && bytes.length <= maxBytes ? bytes : undefined
    },
    async put(key, contentType, body) {
      files.set(key, { contentType, bytes: await checkedBytes(body), state: 'ready' })
    },
    async remove(key) {
      files.delete(key)
    },
    async hold(key, isHeld) {
      if (isHeld && files.has(key)) held.add(key)
      else held.delete(key)
    },
    async beginUpload(key, contentType) {
      const uploadId = random.uuid()
      uploads.set(uploadId, { key, contentType, parts: new Map() })
      return { key, uploadId }
    },
    async putPart(upload, number, body) {
      const bytes = await checkedBytes(body)
      const etag = createHash('md5').update(bytes).digest('hex')
      const part = { number, size: bytes.length, sha256: body.sha256, etag: `"${etag}"` }
      const open = uploadOf(upload)
      if (open === undefined) throw new DomainError('internal_error', 'the object store refused the request')
      open.parts.set(number, { part, bytes })
      return part
    },
    async signPart({ key, uploadId }, { number, sha256 }) {
      const url = `https://files.invalid/${key}?partNumber=${number}&uploadId=${uploadId}`
      return { url, checksum: Buffer.from(sha256, 'hex').toString('base64') }
    },
    async listParts(upload) {
      const open = uploadOf(upload)
      return open && [...open.parts.values()].map(({ part }) => part).sort((a, b) => a.number - b.number)
    },
    async completeUpload(upload, parts) {
      const open = uploadOf(upload)
      const named = [...parts].sort((a, b) => a.number - b.number)
      const found = named.flatMap(({ number, etag }) => {
        const known = open?.parts.get(number)
        return known?.part.etag === etag ? [known] : []
      })
      if (open === undefined || found.length < named.length || found.length === 0) return false
      if (found.slice(0, -1).some(({ bytes }) => bytes.length < minPartBytes)) throw wrongBytes()
      const { key, contentType } = open
      files.set(key, { contentType, bytes: Buffer.concat(found.map(({ bytes }) => bytes)), state: 'ready' })
      uploads.delete(upload.uploadId)
      return true
    },
    async abortUpload(upload) {
      if (uploadOf(upload) !== undefined) uploads.delete(upload.uploadId)
    },
  }
}

async function checkedBytes({ bytes, size, sha256 }: FileBody): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece)
  const whole = Buffer.concat(pieces)
  if (whole.length !== size || createHash('sha256').update(whole).digest('hex') !== sha256) throw wrongBytes()
  return whole
}

function wrongBytes(): DomainError {
  return new DomainError('bad_request', 'the object store refused the bytes: they are not those of their checksum')
}
