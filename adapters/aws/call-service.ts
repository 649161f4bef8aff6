import { DomainError } from '../../core/errors.ts'
import { TimeLimitPassed, timeLimitSignal } from '../time-limit.ts'

/** A service answered and refused. `code` is its own name for the reason. */
export class ServiceRefusal extends Error {
  override readonly name = 'ServiceRefusal'
  readonly code: string
  readonly status: number
  readonly #error: object

  constructor(error: AnsweredError) {
    super(`${error.name} (${error.$metadata.httpStatusCode}) ${error.message.slice(0, MESSAGE_LENGTH)}`)
    this.code = error.name
    this.status = error.$metadata.httpStatusCode
    this.#error = error
  }

  /** The SDK's error. It may hold a stored record, so it is never printed with the refusal. */
  get details(): object {
    return this.#error
  }
}

type AnsweredError = Error & { readonly $metadata: { readonly httpStatusCode: number } }

const MESSAGE_LENGTH = 300

const PASSING =
  /throttl|limitexceeded|throughputexceeded|overlimit|toomanyrequests|unavailable|internal|requesttimeout|operationaborted/i

/**
 * Sends a command, which the SDK attempts again where a fault may pass. Fails with `store_unavailable` when the service
 * does not answer or is too busy, with `internal_error` when it refuses, and with `deadline_exceeded` when the current
 * work is past its limit. `cause` is a {@link ServiceRefusal} if and only if the service answered, so that the caller
 * knows whether what it sent may have arrived. `title` names the service in messages.
 */
export async function callService<T>(title: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    throw translate(title, error)
  }
}

function translate(title: string, error: unknown): DomainError {
  const cause = isAnswered(error) ? new ServiceRefusal(error) : error
  if (cause instanceof ServiceRefusal ? !passes(cause) : isOurs(cause)) {
    return new DomainError('internal_error', `${title} refused the request`, { cause })
  }
  if (cause instanceof TimeLimitPassed || timeLimitSignal()?.aborted === true) {
    return new DomainError('deadline_exceeded', 'the time of the request is over', { cause })
  }
  return new DomainError('store_unavailable', `${title} does not answer, try again`, { retryAfterSeconds: 2, cause })
}

/** Whether the service answered with a failure. An answer of success that cannot be read counts as none. */
function isAnswered(error: unknown): error is AnsweredError {
  if (!(error instanceof Error) || !('$metadata' in error)) return false
  const { httpStatusCode: status } = error.$metadata as { readonly httpStatusCode?: number }
  return status !== undefined && status >= 300
}

function passes({ status, code }: ServiceRefusal): boolean {
  return status >= 500 || status === 429 || PASSING.test(code)
}

/**
 * Whether a request failed before it could be sent, as with a value that cannot be stored. The SDK notes the attempts
 * of everything that it sent, unless the body was a stream: then the error of the connection has a code of the system.
 */
function isOurs(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof TimeLimitPassed) return false
  const code = 'code' in error ? String(error.code) : ''
  return !('$metadata' in error) && !UNANSWERED.has(error.name) && !/^E(?!RR_)/.test(code)
}

const UNANSWERED = new Set(['CredentialsProviderError', 'AbortError', 'TimeoutError'])
