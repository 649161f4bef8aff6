import { createLogger } from '../../adapters/log/logger.ts'
import type { AdapterContext } from '../../adapters/context.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { dynamoAuditLog } from '../../adapters/dynamodb/dynamo-audit-log.ts'
import { dynamoCredentialReader } from '../../adapters/dynamodb/dynamo-credential-reader.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/dynamo-domain-store.ts'
import { dynamoIdempotencyStore } from '../../adapters/dynamodb/dynamo-idempotency-store.ts'
import { dynamoRateLimitStore } from '../../adapters/dynamodb/dynamo-rate-limit-store.ts'
import { dynamoSessionStore } from '../../adapters/dynamodb/dynamo-session-store.ts'
import { systemClock } from '../../adapters/system/system-clock.ts'
import { type Route, isAudited, limitsOf, looksUpDomain, takesKey } from '../../contracts/routes/route.ts'
import type { SecretReader } from '../../core/auth/secrets.ts'
import type { PortName, Ports } from '../../core/ports.ts'
import { readSettings } from './settings.ts'
import type { EndpointTools, OwnPorts } from './tools.ts'

/** Makes one port from its adapter. */
export type MakePort<P extends PortName> = (context: AdapterContext) => Ports[P]

/** Read while the module loads, so that a wrong value stops the function before its first request. */
const settings = readSettings(process.env)

/** What every adapter of this process is made from. */
export function cloudContext(): AdapterContext {
  return { env: process.env, clock: systemClock, random: systemRandomness }
}

/** The tools of an endpoint or worker of this process; `service` names it in the logs. */
export function cloudTools(context: AdapterContext, service: string): EndpointTools {
  return {
    clock: context.clock,
    random: context.random,
    log: createLogger(service, context),
    settings,
  }
}

/**
 * Returns the wrapper's own ports, for just what the route's record asks for. The reader of secrets is loaded only where
 * it is used. A route whose answer shows a secret needs `secretBox` itself: the key service's client would cost every
 * other function 49 KB.
 */
export async function cloudOwnPorts(route: Route, context: AdapterContext): Promise<OwnPorts> {
  const ports: { -readonly [P in keyof OwnPorts]: OwnPorts[P] } = {}
  if (route.authentication === 'token') {
    ports.credentials = dynamoCredentialReader(context)
    ports.sessions = dynamoSessionStore(context)
    ports.secrets = { rootVersion: rootVersionOf(context) }
  }
  if (route.authentication === 'engine') {
    const { secretsManagerSecretReader } = await import('../../adapters/aws/secrets-manager-secret-reader.ts')
    ports.secrets = secretsManagerSecretReader(context)
  }
  if (looksUpDomain(route)) ports.domains = dynamoDomainStore(context)
  if (route.authentication === 'token' || isAudited(route)) ports.audit = dynamoAuditLog(context)
  if (takesKey(route)) ports.idempotency = dynamoIdempotencyStore(context)
  if (limitsOf(route).length > 0) ports.rateLimits = dynamoRateLimitStore(context)
  return ports
}

/** Asks for the version of root's password; loads what asks with root's first request, which most processes never see. */
function rootVersionOf(context: AdapterContext): () => Promise<string> {
  let reader: Promise<SecretReader> | undefined
  const load = async () => {
    const { secretsManagerSecretReader } = await import('../../adapters/aws/secrets-manager-secret-reader.ts')
    return secretsManagerSecretReader(context)
  }
  return async () => (await (reader ??= load())).rootVersion()
}
