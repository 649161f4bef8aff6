import type { HttpMethod } from './route.ts'

/**
 * The requests that browsers of the allowed origins may send, and the headers that they may read. The gateway answers
 * preflights from this list.
 */
export const cors = {
  maxAgeSeconds: 3_600,
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies HttpMethod[] as readonly HttpMethod[],
  requestHeaders: [
    'Content-Type',
    'Accept',
    'X-Access-Token',
    'X-Key',
    'Idempotency-Key',
    'If-Match',
    'If-None-Match',
    'X-Request-Id',
    'traceparent',
    'tracestate',
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

/** Headers with which pages of allowed origins request an object by its signed link, and those that they may read. */
export const linkCors = {
  requestHeaders: ['Range'] as readonly string[],
  exposedHeaders: [
    'Accept-Ranges',
    'Content-Disposition',
    'Content-Length',
    'Content-Range',
    'Content-Type',
    'ETag',
  ] as readonly string[],
} as const
