import * as routes from '../../contracts/routes/descriptions.ts'
import { DomainError } from '../../core/errors.ts'
import { Bytes, endpoint } from '../endpoint.ts'
import { readReferenceFile } from './reference-files.ts'

/** Short, since the names stay the same with a new version. */
const headers = { 'Cache-Control': 'public, max-age=300', Vary: 'Accept-Encoding' }
const { files } = routes.readReferenceFile

export const handler = endpoint(routes.readReferenceFile, {}, async ({ params: { file }, acceptsGzip }) => {
  if (!Object.hasOwn(files, file)) throw new DomainError('not_found', 'the API reference has no such file')
  const { plain, compressed } = readReferenceFile(file)
  const contentType = file.endsWith('.css') ? routes.referenceTypes.css : routes.referenceTypes.js
  return acceptsGzip
    ? new Bytes(compressed, contentType, { ...headers, 'Content-Encoding': 'gzip' })
    : new Bytes(plain, contentType, headers)
})
