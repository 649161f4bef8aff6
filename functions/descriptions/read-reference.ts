import * as routes from '../../contracts/routes/descriptions.ts'
import { endpoint, reply } from '../endpoint.ts'
import { readReferenceFile } from './reference-files.ts'

/**
 * Nothing is loaded from elsewhere and nothing is sent elsewhere; the page has no inline script or style. Its icon is
 * an empty `data:` address.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const headers = { 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-cache' }

export const handler = endpoint(routes.readReference, {}, async () =>
  reply(readReferenceFile('reference.html').toString(), { headers }),
)
