import { environment } from '../../contracts/environment.ts'
import { DomainError } from '../../core/errors.ts'
import type { AdapterContext } from '../context.ts'
import { signedRequest } from './signed-request.ts'

/** A service that takes and answers JSON. */
export interface JsonService {
  readonly name: string
  /** Stands before the action in the header `X-Amz-Target`. */
  readonly target: string
  readonly version: '1.0' | '1.1'
  /** The variable that may name another address. */
  readonly endpointVariable: string
}

/** The services that are called without a client of the SDK. */
export const services = {
  sqs: { name: 'sqs', target: 'AmazonSQS', version: '1.0', endpointVariable: environment.sqsEndpoint },
  kms: { name: 'kms', target: 'TrentService', version: '1.1', endpointVariable: environment.kmsEndpoint },
  secrets: {
    name: 'secretsmanager',
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

  constructor(service: string, action: string, code: string, status: number) {
    super(`${service} refused ${action}: ${code} (${status})`)
    this.code = code
    this.status = status
  }
}

/** These services answer within 50 ms; three tries end well before the 28 s that a request may take. */
const TIMEOUT_MS = 3_000

/** Waits before the second and the third try, each shortened at random. */
const WAITS_MS = [50, 200]

/** Words of a refusal that passes by itself. */
const PASSING = /throttl|limitexceeded|overlimit|toomanyrequests|unavailable|internal/i

/**
 * Calls an action of a service, again where a fault may pass, and answers its JSON. Fails with `store_unavailable` when
 * the service cannot be had and with `internal_error` when it refuses; `cause` is a {@link ServiceRefusal} if and only
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
      const wait = WAITS_MS[tries]
      if (!passes(cause)) throw new DomainError('internal_error', `${service.name} refused ${action}`, { cause })
      if (wait === undefined) {
        throw new DomainError('store_unavailable', `${service.name} does not answer, try again`, {
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
  throw new ServiceRefusal(service.name, action, codeIn(answer.body), answer.status)
}

function passes(error: unknown): boolean {
  if (!(error instanceof ServiceRefusal)) return true
  return error.status >= 500 || error.status === 429 || PASSING.test(error.code)
}

/** The error's word, as the JSON protocols tell it: `__type`, with or without a namespace before a `#`. */
function codeIn(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body)
    const type = typeof parsed === 'object' && parsed !== null && '__type' in parsed ? String(parsed.__type) : ''
    return type.split('#').at(-1) || 'unknown'
  } catch {
    return 'unknown'
  }
}

/** Waits between half of `ms` and all of it. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms * (0.5 + Math.random() / 2))
  })
}
