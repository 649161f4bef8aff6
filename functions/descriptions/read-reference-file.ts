import { extname } from 'node:path'
import * as routes from '../../contracts/routes/descriptions.ts'
import { DomainError } from '../../core/errors.ts'
import { Bytes, endpoint } from '../endpoint.ts'
import { readReferenceFile } from './reference-files.ts'

/** Short, since the names stay the same with a new version. */
const headers = { 'Cache-Control': 'public, max-age=300' }
const { files } = routes.readReferenceFile

export const handler = endpoint(routes.readReferenceFile, {}, async ({ params: { file } }) => {
  const type = routes.referenceTypes[extname(file)]
  if (!Object.hasOwn(files, file) || type === undefined) {
    throw new DomainError('not_found', 'the API reference has no such file')
  }
  return new Bytes(readReferenceFile(file), type, headers)
})
