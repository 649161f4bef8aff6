import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { requestId as requestIdField } from '../../contracts/fields.ts'
import { errorStatus } from '../../contracts/routes/shapes.ts'
import type { TextType } from '../../contracts/routes/route.ts'
import { DomainError } from '../../core/errors.ts'
import { rateHeaders } from '../../core/requests/rate-limit.ts'
import { Bytes, Redirect, Reply } from './reply.ts'

/** The answer to the gateway; header names as written here. */
export type HttpResponse = APIGatewayProxyStructuredResultV2 & {
  readonly statusCode: number
  readonly headers: Record<string, string>
}

const answer = (
  statusCode: number,
  requestId: string,
  contentType: string,
  body: string,
  extra = {},
): HttpResponse => ({
  statusCode,
  headers: {
    'Content-Type': contentType,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    ...extra,
  },
  body,
})

/** Returns a JSON body. It ends its line, so that a terminal's prompt begins the next one. */
const jsonText = (body: unknown) => `${JSON.stringify(body)}\n`

/** Returns a success: JSON, text if the route has another media type, bytes, or a redirect. */
export function successResponse(
  result: unknown,
  requestId: string,
  mediaType: TextType = 'application/json',
): HttpResponse {
  if (result instanceof Redirect) return emptyResponse(302, requestId, { Location: result.location, ...result.headers })
  if (result instanceof Bytes) {
    const text = Buffer.from(result.body).toString('base64')
    return { ...answer(200, requestId, result.contentType, text, result.headers), isBase64Encoded: true }
  }
  const { body, status, headers } = result instanceof Reply ? result : new Reply(result, 200, {})
  const text = mediaType === 'application/json' ? jsonText(body) : String(body)
  return answer(
    status,
    requestId,
    mediaType === 'application/json' ? mediaType : `${mediaType}; charset=utf-8`,
    text,
    headers,
  )
}

/**
 * Returns a refusal or failure as the contract's error body. Any error other than a {@link DomainError} is a failure of
 * the service: `internal_error` with a fixed text that reveals nothing of the error.
 */
export function errorResponse(
  error: unknown,
  requestId: string,
  extraHeaders: Readonly<Record<string, string>> = {},
): HttpResponse {
  const { code, message, details, retryAfterSeconds, limit } =
    error instanceof DomainError ? error : new DomainError('internal_error', 'internal error')
  const status = errorStatus[code]
  const retryAfter = retryAfterSeconds ?? (status === 503 ? 1 : undefined)
  return answer(
    status,
    requestId,
    'application/json',
    jsonText({ status: 'error', info: message, code, ...(details === undefined ? {} : { details }), requestId }),
    {
      ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
      ...(limit === undefined ? {} : rateHeaders(limit)),
      ...extraHeaders,
    },
  )
}

/** Returns an earlier answer for a request with another id. The id in an error body is replaced. */
export function repeatedResponse(first: HttpResponse, requestId: string): HttpResponse {
  const body =
    first.statusCode < 400 || first.body === undefined
      ? first.body
      : jsonText({ ...(JSON.parse(first.body) as object), requestId })
  const headers = { ...first.headers, 'X-Request-Id': requestId, 'Idempotent-Replayed': 'true' }
  return { ...first, headers, ...(body === undefined ? {} : { body }) }
}

/** Returns an answer without a body. It names a type of its own, since the gateway otherwise calls it JSON. */
export function emptyResponse(
  status: number,
  requestId: string,
  headers: Readonly<Record<string, string>>,
): HttpResponse {
  const { headers: common } = answer(status, requestId, 'text/plain; charset=utf-8', '')
  return { statusCode: status, headers: { ...common, ...headers } }
}

/** A `traceparent` of W3C Trace Context, version 00, with neither id all zeros. */
const traceParent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * Returns the caller's own `X-Request-Id` if it is well-formed, otherwise the trace id of its `traceparent` if that is,
 * otherwise a new one.
 */
export function requestIdOf(headers: Readonly<Record<string, string | undefined>>, makeId: () => string): string {
  const given = headers['x-request-id'] ?? ''
  if (requestIdField.safeParse(given).success) return given
  return traceParent.exec(headers['traceparent'] ?? '')?.[1] ?? makeId()
}

/** A year, in seconds: the least that browsers' own lists ask for. */
const maxAgeSeconds = 31_536_000

/**
 * Adds `Strict-Transport-Security` to an answer of a service that is reached over TLS, so that browsers never fall back
 * to plain HTTP. Over plain HTTP (a laptop) the header must not be sent (RFC 6797, section 7.2), and the answer stays.
 */
export function withTransportSecurity(answer: HttpResponse, publicUrl: string): HttpResponse {
  if (!publicUrl.startsWith('https://')) return answer
  const headers = { ...answer.headers, 'Strict-Transport-Security': `max-age=${maxAgeSeconds}` }
  return { ...answer, headers }
}
