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
