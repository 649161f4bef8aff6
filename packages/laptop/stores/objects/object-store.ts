import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { denialOf, deny } from '../../gate/denial.ts'
import type { ObjectBackend, ObjectCall } from '../../gate/gate.ts'
import { requestTarget } from '../../processes/request-target.ts'
import { isVersionList } from '../../gate/requested-access.ts'
import { answerUpload, metadataOf } from './answer-upload.ts'
import { answerXml, xmlText } from './answer-xml.ts'
import { getObject } from './get-object.ts'
import {
  changeObject,
  describe,
  describeVersion,
  draftOf,
  holdVersion,
  keepObject,
  removeObject,
} from './kept-object.ts'
import { type ObjectPaths, objectName, objectPaths } from './object-paths.ts'
import { receiveBytes } from './receive-bytes.ts'
import { ObjectRefusal } from './refusal.ts'
import { Uploads } from './uploads.ts'

/**
 * Returns the embedded object store: objects with ranges, the response headers of a link, storage classes and their
 * restoration, and uploads in parts, kept as files under `root`. Requests were verified and allowed before; only the
 * body's hash is checked here. An object is visible under its key only when it is complete.
 */
export function objectStore(root: string, buckets: ReadonlySet<string>): ObjectBackend {
  const uploads = new Uploads(root)
  return async (call, response) => {
    try {
      await answer(call, response, { root, buckets, uploads })
    } catch (error) {
      // A player that seeks, or an uploader that stops, disconnects in the middle: there is no client to answer.
      if (call.request.socket.destroyed) return
      if (!(error instanceof ObjectRefusal)) throw error
      // An unread body would block the next request.
      call.request.resume()
      deny(response, denialOf('s3', error))
    }
  }
}

async function answer(
  call: ObjectCall,
  response: ServerResponse,
  store: { readonly root: string; readonly buckets: ReadonlySet<string>; readonly uploads: Uploads },
): Promise<void> {
  const { request } = call
  const { rawPath, rawQuery } = requestTarget(request.url)
  const [name, query] = [objectName(rawPath), new URLSearchParams(rawQuery)]
  if (isVersionList(request.method ?? '', decodeURIComponent(rawPath), query)) {
    return listVersions(
      response,
      objectPaths(store.root, rawPath.split('/')[1] ?? '', query.get('prefix') ?? ''),
      query,
    )
  }
  if (name === undefined) throw new ObjectRefusal(400, 'InvalidRequest', 'the request names no object')
  if (!store.buckets.has(name.bucket)) {
    throw new ObjectRefusal(404, 'NoSuchBucket', 'The specified bucket does not exist')
  }
  const paths = objectPaths(store.root, name.bucket, name.key)
  if (query.has('uploads') || query.has('uploadId')) return answerUpload(store.uploads, name, query, call, response)
  if (query.has('legal-hold')) return hold(call, response, paths, query)
  if (request.method === 'PUT') return put(call, response, paths)
  if (request.method === 'POST') return restore(response, paths)
  if (request.method !== 'DELETE') return getObject(call, response, paths, query)
  await removeObject(paths)
  response.writeHead(204).end()
}

async function put(call: ObjectCall, response: ServerResponse, paths: ObjectPaths): Promise<void> {
  const { headers } = call.request
  const draft = await draftOf(paths)
  const { size, md5 } = await receiveBytes(call, draft)
  const storageClass = headers['x-amz-storage-class']
  await keepObject(paths, draft, {
    size,
    etag: md5,
    contentType: headers['content-type'] ?? 'binary/octet-stream',
    modifiedAt: Date.now(),
    metadata: metadataOf(headers),
    ...(storageClass === undefined ? {} : { storageClass: String(storageClass) }),
  })
  response.writeHead(200, { etag: `"${md5}"`, 'content-length': 0 }).end()
}

/** Lists the version of the object whose key is the whole prefix, also a hidden one. An object has one version. */
async function listVersions(response: ServerResponse, paths: ObjectPaths, query: URLSearchParams): Promise<void> {
  const found = await describeVersion(paths)
  const key = `<Key>${xmlText(query.get('prefix') ?? '')}</Key>`
  const latest = `<IsLatest>${found?.isHidden !== true}</IsLatest>`
  const version = found && `<Version>${key}<VersionId>null</VersionId>${latest}<Size>${found.size}</Size></Version>`
  answerXml(response, 'ListVersionsResult', `<IsTruncated>false</IsTruncated>${version ?? ''}`)
}

/** Sets or ends the legal hold of an object; of one that is hidden, if the call names the version. */
async function hold(
  { request }: ObjectCall,
  response: ServerResponse,
  paths: ObjectPaths,
  query: URLSearchParams,
): Promise<void> {
  const status = /<Status>(ON|OFF)<\/Status>/.exec(await text(request))?.[1]
  if (status === undefined) throw new ObjectRefusal(400, 'MalformedXML', 'The XML you provided was not well-formed')
  const found = await describeVersion(paths)
  if (found === undefined) throw new ObjectRefusal(404, 'NoSuchKey', 'The specified key does not exist.')
  if (found.isHidden === true && !query.has('versionId')) {
    throw new ObjectRefusal(405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.')
  }
  await holdVersion(paths, found, status === 'ON')
  response.writeHead(200, { 'content-length': 0 }).end()
}

/** Begins to restore an archived object, which here never ends. */
async function restore(response: ServerResponse, paths: ObjectPaths): Promise<void> {
  const found = await describe(paths)
  if (found === undefined) throw new ObjectRefusal(404, 'NoSuchKey', 'The specified key does not exist.')
  await changeObject(paths, { ...found, isRestoring: true })
  response.writeHead(202, { 'content-length': 0 }).end()
}
