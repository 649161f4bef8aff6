import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod/mini'
import type { ObjectCall } from '../../gate/gate.ts'
import { draftOf, isAbsent, keepObject, writeWhole } from './kept-object.ts'
import { type ObjectName, objectPaths } from './object-paths.ts'
import { receiveBytes } from './receive-bytes.ts'
import { ObjectRefusal } from './refusal.ts'

const beginning = z.object({
  bucket: z.string(),
  key: z.string(),
  contentType: z.string(),
  metadata: z.record(z.string(), z.string()),
  hasChecksums: z.boolean(),
})

const keptPart = z.object({ number: z.number(), size: z.number(), md5: z.string(), sha256: z.string() })

/** A part of an upload. */
export type KeptPart = z.infer<typeof keptPart>

/** A part as named by the request that completes an upload. */
export interface NamedPart {
  readonly number: number
  readonly etag: string
  /** In base64; absent where it is not named. */
  readonly sha256: string | undefined
}

/** Every part but the last has at least so many bytes, by S3's own rule. */
const leastPartBytes = 5 * 1024 * 1024
const maxPartNumber = 10_000

/**
 * The uploads in parts of an embedded object store: one folder each, under a name that no bucket's folder has, so that
 * they outlive the process. The parts become an object at once, or not at all.
 */
export class Uploads {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  async begin(name: ObjectName, begun: Omit<z.infer<typeof beginning>, 'bucket' | 'key'>): Promise<string> {
    const uploadId = randomBytes(24).toString('hex')
    const folder = this.#folder(uploadId)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeWhole(join(folder, 'upload.json'), { ...name, ...begun })
    return uploadId
  }

  async putPart(name: ObjectName, uploadId: string, number: number, call: ObjectCall): Promise<KeptPart> {
    if (!Number.isInteger(number) || number < 1 || number > maxPartNumber) {
      throw new ObjectRefusal(400, 'InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive')
    }
    await this.#find(name, uploadId)
    const file = `${number}-${randomBytes(8).toString('hex')}`
    const part = { number, ...(await receiveBytes(call, join(this.#folder(uploadId), file))) }
    const previous = await this.#part(uploadId, number)
    await writeWhole(join(this.#folder(uploadId), `part-${number}.json`), { ...part, file })
    if (previous !== undefined) await rm(join(this.#folder(uploadId), previous.file), { force: true })
    return part
  }

  async parts(name: ObjectName, uploadId: string): Promise<KeptPart[]> {
    await this.#find(name, uploadId)
    const numbers = (await readdir(this.#folder(uploadId))).flatMap(
      (file) => /^part-(\d+)\.json$/.exec(file)?.[1] ?? [],
    )
    const parts = await Promise.all(numbers.map((number) => this.#part(uploadId, Number(number))))
    return parts.flatMap((part) => part ?? []).sort((a, b) => a.number - b.number)
  }

  /** Makes the object of the parts that are named; answers its etag and its checksum of checksums, in base64. */
  async complete(
    name: ObjectName,
    uploadId: string,
    named: readonly NamedPart[],
  ): Promise<{ readonly etag: string; readonly checksum: string | undefined }> {
    const begun = await this.#find(name, uploadId)
    const parts = await this.#named(uploadId, named, begun.hasChecksums)
    const paths = objectPaths(this.#root, name.bucket, name.key)
    const draft = await draftOf(paths)
    for (const [index, { file }] of parts.entries()) {
      const bytes = createReadStream(join(this.#folder(uploadId), file))
      await pipeline(bytes, createWriteStream(draft, { flags: index === 0 ? 'w' : 'a', mode: 0o600 }))
    }
    const size = parts.reduce((sum, part) => sum + part.size, 0)
    const etag = `${hashOf(
      'md5',
      parts.map(({ md5 }) => md5),
    ).toString('hex')}-${parts.length}`
    const { contentType, metadata } = begun
    await keepObject(paths, draft, { size, etag, contentType, modifiedAt: Date.now(), metadata })
    await rm(this.#folder(uploadId), { recursive: true, force: true })
    const checksum = `${hashOf(
      'sha256',
      parts.map(({ sha256 }) => sha256),
    ).toString('base64')}-${parts.length}`
    return { etag, checksum: begun.hasChecksums ? checksum : undefined }
  }

  async abort(name: ObjectName, uploadId: string): Promise<void> {
    await this.#find(name, uploadId)
    await rm(this.#folder(uploadId), { recursive: true, force: true })
  }

  async #named(uploadId: string, named: readonly NamedPart[], needsChecksums: boolean) {
    if (named.length === 0) throw new ObjectRefusal(400, 'MalformedXML', 'an upload is completed by its parts')
    const numbers = named.map(({ number }) => number)
    if (numbers.some((number, index) => index > 0 && number <= (numbers[index - 1] ?? 0))) {
      throw new ObjectRefusal(400, 'InvalidPartOrder', 'The list of parts was not in ascending order.')
    }
    const parts = await Promise.all(numbers.map((number) => this.#part(uploadId, number)))
    const found = parts.flatMap((part, index) =>
      part !== undefined && isNamed(part, named[index], needsChecksums) ? part : [],
    )
    if (found.length < named.length) {
      throw new ObjectRefusal(400, 'InvalidPart', 'One or more of the specified parts could not be found.')
    }
    if (found.slice(0, -1).some(({ size }) => size < leastPartBytes)) {
      throw new ObjectRefusal(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size')
    }
    return found
  }

  async #find({ bucket, key }: ObjectName, uploadId: string) {
    const text = /^[0-9a-f]{48}$/.test(uploadId) ? await read(join(this.#folder(uploadId), 'upload.json')) : undefined
    const begun = text === undefined ? undefined : z.parse(beginning, JSON.parse(text))
    if (begun?.bucket === bucket && begun.key === key) return begun
    throw new ObjectRefusal(404, 'NoSuchUpload', 'The specified upload does not exist.')
  }

  async #part(uploadId: string, number: number) {
    const text = await read(join(this.#folder(uploadId), `part-${number}.json`))
    return text === undefined ? undefined : z.parse(z.extend(keptPart, { file: z.string() }), JSON.parse(text))
  }

  #folder(uploadId: string): string {
    return join(this.#root, '.uploads', uploadId)
  }
}

function isNamed(part: KeptPart, named: NamedPart | undefined, needsChecksums: boolean): boolean {
  const isChecked = named?.sha256 === undefined ? !needsChecksums : named.sha256 === base64(part.sha256)
  return isChecked && named?.etag.replaceAll('"', '') === part.md5
}

function hashOf(algorithm: 'md5' | 'sha256', hexes: readonly string[]): Buffer {
  const hash = createHash(algorithm)
  for (const hex of hexes) hash.update(Buffer.from(hex, 'hex'))
  return hash.digest()
}

/** Bytes written in hex, as S3 writes checksums. */
export function base64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64')
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}
