import { environment } from '../../contracts/environment.ts'
import { DomainError } from '../../core/errors.ts'
import type { AdapterContext } from '../context.ts'
import { TimeLimitPassed } from '../time-limit.ts'
import { signedRequest } from './signed-request.ts'

/** A service that takes and answers JSON. */
export interface JsonService {
  readonly name: string
  /** What it is to this platform; told to callers in its stead. */
  readonly title: string
  /** Stands before the action in the header `X-Amz-Target`. */
  readonly target: string
  readonly version: '1.0' | '1.1'
  /** The variable that may name another address. */
  readonly endpointVariable: string
}

/** The services that are called. */
export const services = {
  sqs: {
    name: 'sqs',
    title: 'the queue',
    target: 'AmazonSQS',
    version: '1.0',
    endpointVariable: environment.sqsEndpoint,
  },
  kms: {
    name: 'kms',
    title: 'the key service',
    target: 'TrentService',
    version: '1.1',
    endpointVariable: environment.kmsEndpoint,
  },
  secrets: {
    name: 'secretsmanager',
    title: 'the secret store',
    target: 'secretsmanager',
    version: '1.1',
    endpointVariable: environment.secretsEndpoint,
  },
} as const satisfies Record<string, JsonService>

/** That a service answered and said no. `code` is its own word for it. */
export class ServiceRefusal extends Error {
  override readonly name = 'ServiceRefusal'
  readonly code: string
  readonly status: number
  readonly #answer: Readonly<Record<string, unknown>>

  constructor(request: string, status: number, answer: Readonly<Record<string, unknown>>) {
    const { __type: type = 'unknown', message = answer['Message'] ?? '' } = answer
    // The word comes with or without a namespace before a `#`.
    const code = String(type).split('#').at(-1) ?? 'unknown'
    super(`${request}: ${code} (${status}) ${String(message).slice(0, MESSAGE_LENGTH)}`)
    this.code = code
    this.status = status
    this.#answer = answer
  }

  /** All that it answered. It may hold a stored record, so it is never printed with the error. */
  get answer(): Readonly<Record<string, unknown>> {
    return this.#answer
  }
}

/** Characters of a service's own message that are kept. */
const MESSAGE_LENGTH = 300

/** These services answer within 50 ms; three tries end well before the 28 s that a request may take. */
const TIMEOUT_MS = 3_000

/** Waits before the second and the third try, each shortened at random. */
const WAITS_MS = [50, 200]

/** Words of a refusal that passes by itself. */
const PASSING = /throttl|limitexceeded|throughputexceeded|overlimit|toomanyrequests|unavailable|internal/i

/**
 * Calls an action of a service, again where a fault may pass, and answers its JSON. Fails with `store_unavailable` when
 * the service cannot be had, with `internal_error` when it refuses, and with `deadline_exceeded` when the work is past its
 * limit; `cause` is a {@link ServiceRefusal} if and only
 * if it answered, so that whoever sent something knows whether it may have arrived.
 */
export async function awsJson(
  context: Pick<AdapterContext, 'env' | 'clock'>,
  service: JsonService,
  action: string,
  input: object,
): Promise<unknown> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await awsJsonOnce(context, service, action, input)
    } catch (cause) {
      if (cause instanceof TimeLimitPassed) throw new DomainError('deadline_exceeded', cause.message, { cause })
      const wait = WAITS_MS[tries]
      if (!passes(cause)) throw new DomainError('internal_error', `${service.title} refused the request`, { cause })
      if (wait === undefined) {
        throw new DomainError('store_unavailable', `${service.title} does not answer, try again`, {
          retryAfterSeconds: 2,
          cause,
        })
      }
      await pause(wait)
    }
  }
}

/** How long one call may take, and what ends it earlier. */
export interface CallLimits {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Calls an action of a service a single time and answers its JSON. Rejects with {@link ServiceRefusal} when it says
 * no, and with the plain error when it cannot be had.
 */
export async function awsJsonOnce(
  context: Pick<AdapterContext, 'env' | 'clock'>,
  service: JsonService,
  action: string,
  input: object,
  limits: CallLimits = { timeoutMs: TIMEOUT_MS },
): Promise<unknown> {
  const answer = await signedRequest(context, {
    service: service.name,
    endpoint: context.env[service.endpointVariable],
    headers: {
      'content-type': `application/x-amz-json-${service.version}`,
      'x-amz-target': `${service.target}.${action}`,
    },
    body: JSON.stringify(input),
    ...limits,
  })
  if (answer.status === 200) return JSON.parse(answer.body)
  throw new ServiceRefusal(`${service.name} ${action}`, answer.status, recordIn(answer.body))
}

function passes(error: unknown): boolean {
  if (!(error instanceof ServiceRefusal)) return true
  return error.status >= 500 || error.status === 429 || PASSING.test(error.code)
}

/** The record in a body; an empty one where there is none, as from a proxy in between. */
function recordIn(body: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  } catch {
    return {}
  }
}

/** Waits between half of `ms` and all of it. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms * (0.5 + Math.random() / 2))
  })
}
