/** Every machine word that an error answer may carry; the closed list of the contract's section on errors. */
export type ErrorCode =
  | 'invalid_json'
  | 'invalid_field'
  | 'missing_field'
  | 'domain_required'
  | 'bad_request'
  | 'engine_refused'
  | 'query_refused'
  | 'invalid_credentials'
  | 'invalid_token'
  | 'token_expired'
  | 'permission_denied'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'idempotency_conflict'
  | 'in_progress'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'rate_limited'
  | 'locked_out'
  | 'internal_error'
  | 'engine_unavailable'
  | 'search_unavailable'
  | 'store_unavailable'
  | 'engine_timeout'
  | 'outcome_unknown'
  | 'search_timeout'
  | 'deadline_exceeded'

/** A problem with one field of a request. */
export interface FieldProblem {
  /** The field's path in the request, for example `variables[2]`. */
  readonly field: string
  readonly problem: string
}

/** The rest of a limit that has a number. */
export interface LimitLeft {
  readonly limit: number
  readonly remaining: number
  /** Milliseconds until all of it is free again, as far as that is known. */
  readonly resetMs: number
}

/** The optional additions to an error's code and text. */
export interface ErrorExtras {
  readonly details?: readonly FieldProblem[]
  /** The caller receives it in `Retry-After`. */
  readonly retryAfterSeconds?: number
  /** The caller receives it in `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`. */
  readonly limit?: LimitLeft
  readonly cause?: unknown
}

/**
 * A refusal by the platform's rules. Its message is shown to the caller: it names the problem and the way out, and
 * never contains a secret.
 */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly code: ErrorCode
  readonly details: readonly FieldProblem[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly limit: LimitLeft | undefined

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, { cause: extras.cause })
    this.code = code
    this.details = extras.details
    this.retryAfterSeconds = extras.retryAfterSeconds
    this.limit = extras.limit
  }
}

/** Returns a refusal that names one field of the request: 400 `invalid_field`. */
export function invalidField(field: string, problem: string): DomainError {
  return new DomainError('invalid_field', `${field}: ${problem}`, { details: [{ field, problem }] })
}
