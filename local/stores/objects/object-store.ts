import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod/mini'
import { denialOf, deny } from '../../gate/denial.ts'
import type { ObjectBackend } from '../../gate/gate.ts'
import { requestTarget } from '../../processes/request-target.ts'
import { byteRange } from './byte-range.ts'
import { type ObjectPaths, objectName, objectPaths } from './object-paths.ts'

const description = z.object({
  size: z.number(),
  etag: z.string(),
  contentType: z.string(),
  modifiedAt: z.number(),
  metadata: z.record(z.string(), z.string()),
})

type Description = z.infer<typeof description>

/** Headers that a signed link may set in the answer, by the query parameter that sets them. */
const responseHeaders = {
  'response-content-type': 'content-type',
  'response-content-disposition': 'content-disposition',
  'response-cache-control': 'cache-control',
  'response-content-language': 'content-language',
  'response-content-encoding': 'content-encoding',
  'response-expires': 'expires',
} as const

/**
 * The embedded object store: GET, HEAD, PUT and DELETE of single objects, with ranges and the response headers of a
 * link, kept as files under `root`. Requests were verified and allowed before; what is left to hold is the body's
 * hash. A PUT shows under its key only when it is whole.
 */
export function objectStore(root: string, buckets: ReadonlySet<string>): ObjectBackend {
  return async (request, response, payloadHash) => {
    const { rawPath, rawQuery } = requestTarget(request.url)
    const name = objectName(rawPath)
    if (name === undefined) return refuse(response, 400, 'InvalidRequest', 'the request names no object')
    if (!buckets.has(name.bucket)) return refuse(response, 404, 'NoSuchBucket', 'The specified bucket does not exist')
    const paths = objectPaths(root, name.bucket, name.key)
    if (request.method === 'PUT') return put(request, response, paths, payloadHash)
    if (request.method === 'DELETE') {
      await rm(paths.description, { force: true })
      await rm(paths.bytes, { force: true })
      response.writeHead(204).end()
      return
    }
    await get(request, response, paths, new URLSearchParams(rawQuery))
  }
}

async function put(request: IncomingMessage, response: ServerResponse, paths: ObjectPaths, payloadHash: string) {
  if (payloadHash.startsWith('STREAMING-')) {
    return refuse(response, 501, 'NotImplemented', 'a body signed in chunks is not known here')
  }
  await mkdir(paths.folder, { recursive: true, mode: 0o700 })
  const draft = `${paths.bytes}-${randomUUID()}`
  const [sha256, md5] = [createHash('sha256'), createHash('md5')]
  let size = 0
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sha256.update(chunk)
      md5.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  try {
    await pipeline(request, measure, createWriteStream(draft, { mode: 0o600 }))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  if (payloadHash !== 'UNSIGNED-PAYLOAD' && sha256.digest('hex') !== payloadHash) {
    await rm(draft, { force: true })
    return refuse(response, 400, 'XAmzContentSHA256Mismatch', 'the body is not the one that was signed')
  }
  const made: Description = {
    size,
    etag: md5.digest('hex'),
    contentType: request.headers['content-type'] ?? 'binary/octet-stream',
    modifiedAt: Date.now(),
    metadata: metadataOf(request),
  }
  await rename(draft, paths.bytes)
  await writeFile(paths.description, JSON.stringify(made), { mode: 0o600 })
  response.writeHead(200, { etag: `"${made.etag}"`, 'content-length': 0 }).end()
}

async function get(
  request: IncomingMessage,
  response: ServerResponse,
  paths: ObjectPaths,
  query: URLSearchParams,
): Promise<void> {
  const found = await describe(paths)
  if (found === undefined) return refuse(response, 404, 'NoSuchKey', 'The specified key does not exist.')
  const range = byteRange(request.headers.range, found.size)
  if (range === 'unsatisfiable') {
    response.setHeader('content-range', `bytes */${found.size}`)
    return refuse(response, 416, 'InvalidRange', 'The requested range is not satisfiable')
  }
  const { first, last } = range ?? { first: 0, last: found.size - 1 }
  const asked = Object.entries(responseHeaders).flatMap(([parameter, header]) => {
    const value = query.get(parameter)
    return value === null ? [] : [[header, value] as const]
  })
  response.writeHead(range === undefined ? 200 : 206, {
    'content-type': found.contentType,
    'accept-ranges': 'bytes',
    etag: `"${found.etag}"`,
    'last-modified': new Date(found.modifiedAt).toUTCString(),
    ...Object.fromEntries(Object.entries(found.metadata).map(([name, value]) => [`x-amz-meta-${name}`, value])),
    ...Object.fromEntries(asked),
    'content-length': last - first + 1,
    ...(range === undefined ? {} : { 'content-range': `bytes ${first}-${last}/${found.size}` }),
  })
  if (request.method === 'HEAD' || found.size === 0) return void response.end()
  await pipeline(createReadStream(paths.bytes, { start: first, end: last }), response)
}

async function describe(paths: ObjectPaths): Promise<Description | undefined> {
  try {
    return z.parse(description, JSON.parse(await readFile(paths.description, 'utf8')))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function metadataOf(request: IncomingMessage): Record<string, string> {
  const prefix = 'x-amz-meta-'
  return Object.fromEntries(
    Object.entries(request.headers)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), String(value)]),
  )
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  deny(response, denialOf('s3', { status, code, message }))
}
