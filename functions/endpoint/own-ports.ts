import type { AdapterContext } from '../../adapters/context.ts'
import { secretsManagerSecretReader } from '../../adapters/aws/secrets-manager-secret-reader.ts'
import { dynamoAuditLog } from '../../adapters/dynamodb/audit/dynamo-audit-log.ts'
import { dynamoCredentialReader } from '../../adapters/dynamodb/auth/dynamo-credential-reader.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoIdempotencyStore } from '../../adapters/dynamodb/access/dynamo-idempotency-store.ts'
import { dynamoRateLimitStore } from '../../adapters/dynamodb/access/dynamo-rate-limit-store.ts'
import { dynamoSessionStore } from '../../adapters/dynamodb/access/dynamo-session-store.ts'
import { type Route, isAudited, limitsOf, looksUpDomain, takesKey } from '../../contracts/routes/route.ts'
import type { OwnPorts } from './endpoint-parts.ts'

/**
 * Returns the wrapper's own ports: exactly those that the route's record asks for. A route whose answer shows a secret
 * needs `secretBox` itself, since the key service's client would add 30 KB to every other function.
 */
export function cloudOwnPorts(route: Route, context: AdapterContext): OwnPorts {
  const ports: { -readonly [P in keyof OwnPorts]: OwnPorts[P] } = {}
  if (route.authentication === 'token') {
    ports.credentials = dynamoCredentialReader(context)
    ports.sessions = dynamoSessionStore(context)
  }
  if (route.authentication !== 'none') ports.secrets = secretsManagerSecretReader(context)
  if (looksUpDomain(route)) ports.domains = dynamoDomainStore(context)
  if (route.authentication === 'token' || isAudited(route)) ports.audit = dynamoAuditLog(context)
  if (takesKey(route)) ports.idempotency = dynamoIdempotencyStore(context)
  if (limitsOf(route).length > 0) ports.rateLimits = dynamoRateLimitStore(context)
  return ports
}
