import type { ErrorCode } from './operations.ts'

/** The problem with one field of a request. */
export interface FieldProblem {
  readonly field: string
  readonly problem: string
}

/**
 * The code of a failed call: one of the API, or one of the client. `unreachable`: no complete answer came. `timed_out`:
 * the answer took too long. `unexpected_answer`: the answer is none of the API, such as a proxy's page.
 */
export type CallplaneErrorCode = ErrorCode | 'unreachable' | 'timed_out' | 'unexpected_answer'

interface ErrorFields {
  readonly code: CallplaneErrorCode
  readonly status: number
  readonly details?: readonly FieldProblem[]
  readonly requestId?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly request?: string | undefined
  readonly info?: string | undefined
}

/** A call that did not succeed. Calls that the caller's own signal ended throw the reason of that signal instead. */
export class CallplaneError extends Error {
  override readonly name = 'CallplaneError'
  readonly code: CallplaneErrorCode
  /** The HTTP status; 0 if no answer came. */
  readonly status: number
  readonly details: readonly FieldProblem[]
  /** The `X-Request-Id` of the answer, which the platform's log has too. */
  readonly requestId: string | undefined
  /** The wait that the platform requested, in seconds. */
  readonly retryAfterSeconds: number | undefined
  /** Method and path of the refused request. */
  readonly request: string | undefined
  /** The sentence of the platform alone; `message` begins with the request. */
  readonly info: string | undefined

  constructor(message: string, fields: ErrorFields, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.code = fields.code
    this.status = fields.status
    this.details = fields.details ?? []
    this.requestId = fields.requestId
    this.retryAfterSeconds = fields.retryAfterSeconds
    this.request = fields.request
    this.info = fields.info
  }
}

/** Returns the error of an answer that is no success; `what` names the request. */
export function errorOf(what: string, response: Response, text: string): CallplaneError {
  const { status, headers } = response
  const body = parseErrorBody(text)
  const requestId = body?.requestId ?? headers.get('x-request-id') ?? undefined
  const code = body?.code ?? 'unexpected_answer'
  const reason = body === undefined ? JSON.stringify(text.slice(0, 200)) : `${body.code}, ${body.info}`
  return new CallplaneError(`${what} was answered ${status}: ${reason}`, {
    code,
    status,
    details: body?.details ?? [],
    requestId,
    retryAfterSeconds: secondsOf(headers.get('retry-after')),
    request: what,
    info: body?.info,
  })
}

interface ErrorBody {
  readonly code: ErrorCode
  readonly info: string
  readonly details?: readonly FieldProblem[]
  readonly requestId: string
}

function parseErrorBody(text: string): ErrorBody | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return isErrorBody(body) ? body : undefined
  } catch {
    return undefined
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string' && 'info' in body
}

/** The platform sends whole seconds. */
function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined
}
