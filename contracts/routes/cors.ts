import type { HttpMethod } from './route.ts'

/**
 * The requests that browsers of the allowed origins may send, and the headers that they may read. The gateway answers
 * preflights from this list.
 */
export const cors = {
  /** How long a browser may remember the answer to a preflight. */
  maxAgeSeconds: 3_600,
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies HttpMethod[] as readonly HttpMethod[],
  requestHeaders: [
    'Content-Type',
    'Accept',
    'X-Access-Token',
    'X-Key',
    'Idempotency-Key',
    'If-Match',
    'X-Request-Id',
  ] as readonly string[],
  exposedHeaders: [
    'Allow',
    'Content-Disposition',
    'Deprecation',
    'ETag',
    'Idempotent-Replayed',
    'Location',
    'RateLimit-Limit',
    'RateLimit-Remaining',
    'RateLimit-Reset',
    'Retry-After',
    'Sunset',
    'X-Default-Range',
    'X-Ignored-Parameters',
    'X-Next-Cursor',
    'X-Partial',
    'X-Request-Id',
    'X-Total-Relation',
    'X-Truncated',
  ] as readonly string[],
} as const
