import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { ObjectCall } from '../../gate/gate.ts'
import { byteRange } from './byte-range.ts'
import { type Description, openObject } from './kept-object.ts'
import type { ObjectPaths } from './object-paths.ts'
import { ObjectRefusal } from './refusal.ts'

/** Headers that a signed link may set in the answer, by the query parameter that sets them. */
const responseHeaders = {
  'response-content-type': 'content-type',
  'response-content-disposition': 'content-disposition',
  'response-cache-control': 'cache-control',
  'response-content-language': 'content-language',
  'response-content-encoding': 'content-encoding',
  'response-expires': 'expires',
} as const

const archives = new Set(['GLACIER', 'DEEP_ARCHIVE'])

/** Answers GET and HEAD. A caller that may not list the bucket does not learn that an object is missing. */
export async function getObject(
  { request, mayList }: ObjectCall,
  response: ServerResponse,
  paths: ObjectPaths,
  query: URLSearchParams,
): Promise<void> {
  const opened = await openObject(paths)
  if (opened === undefined) {
    if (!mayList()) throw new ObjectRefusal(403, 'AccessDenied', 'Access Denied')
    throw new ObjectRefusal(404, 'NoSuchKey', 'The specified key does not exist.')
  }
  await using file = opened.file
  const { found } = opened
  const isHead = request.method === 'HEAD'
  if (!isHead && archives.has(found.storageClass ?? '')) {
    throw new ObjectRefusal(403, 'InvalidObjectState', "The operation is not valid for the object's storage class")
  }
  const range = byteRange(request.headers.range, found.size)
  if (range === 'unsatisfiable') {
    response.setHeader('content-range', `bytes */${found.size}`)
    throw new ObjectRefusal(416, 'InvalidRange', 'The requested range is not satisfiable')
  }
  const { first, last } = range ?? { first: 0, last: found.size - 1 }
  response.writeHead(range === undefined ? 200 : 206, {
    ...headersOf(found),
    ...overridesIn(query),
    'content-length': last - first + 1,
    ...(range === undefined ? {} : { 'content-range': `bytes ${first}-${last}/${found.size}` }),
  })
  if (isHead || found.size === 0) return void response.end()
  await pipeline(file.createReadStream({ start: first, end: last, autoClose: false }), response)
}

function headersOf(found: Description): Record<string, string> {
  return {
    'content-type': found.contentType,
    'accept-ranges': 'bytes',
    etag: `"${found.etag}"`,
    'last-modified': new Date(found.modifiedAt).toUTCString(),
    ...Object.fromEntries(Object.entries(found.metadata).map(([name, value]) => [`x-amz-meta-${name}`, value])),
    ...(found.storageClass === undefined ? {} : { 'x-amz-storage-class': found.storageClass }),
    ...(found.isRestoring === true ? { 'x-amz-restore': 'ongoing-request="true"' } : {}),
  }
}

/** The whole query is signed, so its content is the signer's choice. */
function overridesIn(query: URLSearchParams): Record<string, string> {
  const asked = Object.entries(responseHeaders).flatMap(([parameter, header]) => {
    const value = query.get(parameter)
    return value === null ? [] : [[header, value] as const]
  })
  return Object.fromEntries(asked)
}
