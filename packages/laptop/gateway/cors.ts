import type { CrossOrigin } from '../assembly/assembly.ts'
import type { Reply } from './function-reply.ts'

/** The part of a request that matters to CORS. */
export interface OriginRequest {
  readonly method: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/**
 * Returns the answer to a preflight, as an HTTP API with a CORS configuration gives it without calling a function: 204,
 * and for an allowed origin its permissions. `undefined` for other requests, or without a configuration.
 */
export function preflightReply(config: CrossOrigin | undefined, request: OriginRequest): Reply | undefined {
  const { origin, 'access-control-request-method': wanted } = request.headers
  if (config === undefined || request.method !== 'OPTIONS' || origin === undefined || wanted === undefined) {
    return undefined
  }
  const allowed = originHeaders(config, request)
  const headers =
    Object.keys(allowed).length === 0
      ? {}
      : {
          ...allowed,
          'access-control-allow-methods': config.methods.join(','),
          'access-control-allow-headers': config.headers.map((name) => name.toLowerCase()).join(','),
          'access-control-max-age': String(config.maxAgeSeconds),
        }
  return { status: 204, headers, body: Buffer.alloc(0) }
}

/**
 * Returns a reply as the gateway hands it to a browser's page: with the headers of its configuration for an allowed
 * origin, and never with any that a function might have set. Without a configuration it is left as it is.
 */
export function crossOriginReply(config: CrossOrigin | undefined, request: OriginRequest, reply: Reply): Reply {
  if (config === undefined) return reply
  const own = Object.entries(reply.headers).filter(([name]) => !name.startsWith('access-control-'))
  return { ...reply, headers: { ...Object.fromEntries(own), ...originHeaders(config, request) } }
}

/** Returns the headers that let a page of an allowed origin read an answer; none for a page of another. */
export function originHeaders(config: CrossOrigin | undefined, { headers }: OriginRequest): Record<string, string> {
  const { origin } = headers
  if (config === undefined || typeof origin !== 'string' || !config.origins.includes(origin)) return {}
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': config.exposedHeaders.map((name) => name.toLowerCase()).join(','),
    vary: 'Origin',
  }
}
