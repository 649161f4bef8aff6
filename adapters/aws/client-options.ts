import { type AdapterContext, required } from '../context.ts'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { checkTimeLimit, timeLimitSignal } from '../time-limit.ts'
import { defaultProvider } from '@aws-sdk/credential-provider-node'

/** A service that has a client. */
export interface ServiceAddress {
  readonly name: string
  readonly endpointVariable: string
}

/** How often a call is attempted; the SDK's standard strategy waits in between, longer each time and at random. */
const ATTEMPTS = 3

/**
 * Returns the options of every client of a service. All that the SDK would otherwise look for in files and variables is
 * given, so that nothing is read at a cold start and a deployment behaves the same everywhere.
 */
export function clientOptions(context: Pick<AdapterContext, 'env'>, { name, endpointVariable }: ServiceAddress) {
  const region = required(context, 'AWS_REGION')
  return {
    region,
    endpoint: context.env[endpointVariable] || `https://${name}.${region}.amazonaws.com`,
    credentials: credentialProvider(context),
    requestHandler,
    maxAttempts: ATTEMPTS,
    retryMode: 'standard',
    defaultsMode: 'standard',
    authSchemePreference: async (): Promise<string[]> => [],
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    userAgentAppId: async () => undefined,
  } as const
}

/**
 * Returns a client of the SDK without the step that copies each input and output, without its secrets, for a logger. No
 * client here has a logger, and the copies cost a fortieth of the processor of a function.
 */
export function withoutLogging<Client extends { readonly middlewareStack: { remove(name: string): boolean } }>(
  client: Client,
): Client {
  client.middlewareStack.remove('loggerMiddleware')
  return client
}

/** Returns the function that makes a client once for each environment, since a process has one. */
export function oncePerEnvironment<Client>(
  make: (context: Pick<AdapterContext, 'env'>) => Client,
): (context: Pick<AdapterContext, 'env'>) => Client {
  const made = new WeakMap<AdapterContext['env'], Client>()
  return (context) => {
    const known = made.get(context.env)
    if (known !== undefined) return known
    const client = make(context)
    made.set(context.env, client)
    return client
  }
}

/** Times of one attempt, in milliseconds. */
export interface AttemptLimits {
  /** Until the headers of the answer are there; a call may ask for more. */
  readonly answerMs: number
  /** For the rest of the answer, where the work has no time limit of its own. */
  readonly bodyMs: number
  /** Without a byte in either direction; not limited where absent. */
  readonly silenceMs?: number
}

/** Connecting takes milliseconds within a region; a process that is busy for a second must not take it for one. */
const CONNECT_MS = 2_000

/**
 * These services answer within 50 ms; three attempts end well before the 28 s that a request may take. Objects come and
 * go for longer than 2 s after their headers, which their callers allow for.
 */
const times = { answerMs: 3_000, bodyMs: 2_000 }

/** Requests never queue for a connection: the wait would count as a failure to connect. */
const agent = { keepAlive: true, maxSockets: Infinity }

type Handle = NodeHttpHandler['handle']

/**
 * Sends the requests of clients over connections that stay open. No attempt is sent after the time limit of the current
 * work, and an attempt under way is aborted then ({@link checkTimeLimit}). Work without a limit gives each attempt a
 * time of its own. So every attempt ends, also one whose answer stops halfway.
 */
export class LimitedHandler extends NodeHttpHandler {
  readonly limits: AttemptLimits

  constructor(limits: AttemptLimits) {
    super({
      httpAgent: agent,
      httpsAgent: agent,
      connectionTimeout: CONNECT_MS,
      requestTimeout: limits.answerMs,
      throwOnRequestTimeout: true,
      ...(limits.silenceMs === undefined ? {} : { socketTimeout: limits.silenceMs }),
    })
    this.limits = limits
  }

  override async handle(
    request: Parameters<Handle>[0],
    options: NonNullable<Parameters<Handle>[1]> = {},
  ): ReturnType<Handle> {
    checkTimeLimit()
    const { requestTimeout = this.limits.answerMs, abortSignal: given } = options
    const ending = timeLimitSignal() ?? AbortSignal.timeout(requestTimeout + this.limits.bodyMs)
    const abortSignal = given instanceof AbortSignal ? AbortSignal.any([ending, given]) : ending
    return super.handle(request, { ...options, requestTimeout, abortSignal })
  }
}

/** The handler of most clients, which share their connections. A service that says nothing for 3 s is tried again. */
export const requestHandler = new LimitedHandler({ ...times, silenceMs: times.answerMs })

/** The handler for objects. A peer that takes or gives no byte of one for 10 s is gone, however much time there is. */
export const objectRequestHandler = new LimitedHandler({ ...times, silenceMs: 10_000 })

/** The handler for long polls, which are silent until there is a message. */
export const pollRequestHandler = new LimitedHandler(times)

interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/**
 * Returns the credentials of the environment (a Lambda function, a laptop); where it has none, the SDK's own chain,
 * which renews those of an ECS task. The chain asks once and fails, since the connector makes a failed call again
 * later. The bundles of functions hold {@link file://./no-chain.ts} in place of the chain.
 */
export function credentialProvider({ env }: Pick<AdapterContext, 'env'>): () => Promise<Credentials> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = env
  if (!accessKeyId || !secretAccessKey) return defaultProvider({ maxRetries: 0 })
  return async () => ({ accessKeyId, secretAccessKey, ...(token && { sessionToken: token }) })
}
