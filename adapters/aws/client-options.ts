import { type AdapterContext, required } from '../context.ts'
import { credentialProvider } from './credential-provider.ts'
import { requestHandler } from './request-handler.ts'

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
