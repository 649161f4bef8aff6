import type { ServerResponse } from 'node:http'
import type { ObjectCall } from '../../gate/gate.ts'
import { answerXml, xmlText } from './answer-xml.ts'
import { readBody } from '../../gate/read-body.ts'
import type { ObjectName } from './object-paths.ts'
import { ObjectRefusal } from './refusal.ts'
import { type NamedPart, type Uploads, base64 } from './uploads.ts'

/** A list of ten thousand parts with their checksums. */
const maxListBytes = 4 * 1024 * 1024

const partsAtATime = 1000

/** Answers a call about an upload in parts. `query` has `uploads` or `uploadId`. */
export async function answerUpload(
  uploads: Uploads,
  name: ObjectName,
  query: URLSearchParams,
  call: ObjectCall,
  response: ServerResponse,
): Promise<void> {
  const { request } = call
  const uploadId = query.get('uploadId') ?? ''
  if (request.method === 'POST' && query.has('uploads')) return begin(uploads, name, call, response)
  if (request.method === 'PUT') {
    const part = await uploads.putPart(name, uploadId, Number(query.get('partNumber')), call)
    const checksum = { 'x-amz-checksum-sha256': base64(part.sha256) }
    return void response.writeHead(200, { etag: `"${part.md5}"`, ...checksum, 'content-length': 0 }).end()
  }
  if (request.method === 'GET') return list(uploads, name, query, response)
  if (request.method === 'DELETE') {
    await uploads.abort(name, uploadId)
    return void response.writeHead(204).end()
  }
  const body = (await readBody(request, maxListBytes)).toString()
  const { etag, checksum } = await uploads.complete(name, uploadId, namedParts(body))
  const sum = checksum === undefined ? '' : `<ChecksumSHA256>${checksum}</ChecksumSHA256>`
  const named = `<Bucket>${xmlText(name.bucket)}</Bucket><Key>${xmlText(name.key)}</Key>`
  answerXml(response, 'CompleteMultipartUploadResult', `${named}<ETag>&quot;${etag}&quot;</ETag>${sum}`)
}

async function begin(uploads: Uploads, name: ObjectName, { request }: ObjectCall, response: ServerResponse) {
  const algorithm = request.headers['x-amz-checksum-algorithm']
  if (algorithm !== undefined && algorithm !== 'SHA256') {
    throw new ObjectRefusal(501, 'NotImplemented', 'of the checksums only SHA256 is known here')
  }
  const uploadId = await uploads.begin(name, {
    contentType: request.headers['content-type'] ?? 'binary/octet-stream',
    metadata: metadataOf(request.headers),
    hasChecksums: algorithm !== undefined,
  })
  const named = `<Bucket>${xmlText(name.bucket)}</Bucket><Key>${xmlText(name.key)}</Key>`
  answerXml(response, 'InitiateMultipartUploadResult', `${named}<UploadId>${uploadId}</UploadId>`)
}

async function list(uploads: Uploads, name: ObjectName, query: URLSearchParams, response: ServerResponse) {
  const marker = Number(query.get('part-number-marker') ?? 0)
  const most = Math.min(Number(query.get('max-parts') ?? partsAtATime), partsAtATime)
  const following = (await uploads.parts(name, query.get('uploadId') ?? '')).filter(({ number }) => number > marker)
  const shown = following.slice(0, most)
  const parts = shown.map(
    ({ number, size, md5, sha256 }) =>
      `<Part><PartNumber>${number}</PartNumber><ETag>&quot;${md5}&quot;</ETag><Size>${size}</Size>` +
      `<ChecksumSHA256>${base64(sha256)}</ChecksumSHA256></Part>`,
  )
  const end = `<NextPartNumberMarker>${shown.at(-1)?.number ?? 0}</NextPartNumberMarker><IsTruncated>${following.length > shown.length}</IsTruncated>`
  answerXml(response, 'ListPartsResult', end + parts.join(''))
}

function namedParts(body: string): NamedPart[] {
  return [...body.matchAll(/<Part>([^]*?)<\/Part>/g)].map(([, part = '']) => {
    const named = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(part)?.[1]
    const etag = (named('ETag') ?? '').replaceAll('&quot;', '"')
    return { number: Number(named('PartNumber')), etag, sha256: named('ChecksumSHA256') }
  })
}

/** Returns the metadata that a request gives its object, by name without its prefix. */
export function metadataOf(headers: ObjectCall['request']['headers']): Record<string, string> {
  const prefix = 'x-amz-meta-'
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), String(value)]),
  )
}
