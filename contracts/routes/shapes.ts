/** Schemas that more than one route uses. */
import * as z from 'zod/mini'
import type { ErrorCode } from '../../core/errors.ts'

/** The status of each error code: the one table that turns words into numbers. */
export const errorStatus = {
  invalid_json: 400,
  invalid_field: 400,
  missing_field: 400,
  domain_required: 400,
  bad_request: 400,
  engine_refused: 400,
  query_refused: 400,
  invalid_credentials: 401,
  invalid_token: 401,
  token_expired: 401,
  permission_denied: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  idempotency_conflict: 409,
  in_progress: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  rate_limited: 429,
  locked_out: 429,
  internal_error: 500,
  engine_unavailable: 503,
  search_unavailable: 503,
  store_unavailable: 503,
  engine_timeout: 504,
  outcome_unknown: 504,
  search_timeout: 504,
  deadline_exceeded: 504,
} as const satisfies Record<ErrorCode, number>

/** Every error code, for schemas. */
export const errorCodes = Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]

/** The body of every answer with status 4xx or 5xx. */
export const errorBody = z.object({
  status: z.literal('error'),
  info: z.string(),
  code: z.enum(errorCodes),
  details: z.optional(z.array(z.object({ field: z.string(), problem: z.string() }))),
  requestId: z.string(),
})

/** Returns the response `{status:"OK", data}`. */
export const okData = <T extends z.ZodMiniType>(data: T) => z.object({ status: z.literal('OK'), data })

/**
 * Returns the response of a list whose entries have ids that may be numbers: `order` has the ids as `sort` orders them,
 * since members that are numbers come first in many languages.
 */
export const okInOrder = <T extends z.ZodMiniType>(entry: T) =>
  z.extend(okData(z.record(z.string(), entry)), { order: z.readonly(z.array(z.string())) })

/** Returns the response `{status:"OK", info}`. */
export const okInfo = <T extends z.ZodMiniType>(info: T) => z.object({ status: z.literal('OK'), info })

/** Returns a query value that is a whole number in text, from `min` to `max`. */
export const wholeNumber = (min: number, max: number) =>
  z.pipe(
    z.string().check(z.regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)),
    z.pipe(
      z.transform((text: string) => Number(text)),
      z.int().check(z.minimum(min, `must be at least ${min}`), z.maximum(max, `must be at most ${max}`)),
    ),
  )

/** The query parameters that every list takes; `columns`, `sort` and `filter` are read by the list rules in core. */
export const listQuery = z.object({
  domain: z.optional(z.string()),
  limit: z.optional(wholeNumber(1, 1000)),
  page: z.optional(wholeNumber(1, 1_000_000)),
  cursor: z.optional(z.string().check(z.maxLength(4096, 'must be an X-Next-Cursor of this list'))),
  columns: z.optional(z.string().check(z.maxLength(4096))),
  sort: z.optional(z.string().check(z.maxLength(4096))),
  filter: z.optional(z.string().check(z.maxLength(4096))),
})

/** The query of an endpoint that takes none but the domain. */
export const domainQuery = z.object({ domain: z.optional(z.string()) })
