import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { dynamoConnectorStatusStore } from '../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoGatewayStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import { type OwnerPorts, readOwner } from '../../core/gateways/gateway-views.ts'
import type { EndpointRequest } from '../endpoint/use-case.ts'
import { gatewayJudges } from './gateway-judges.ts'
import type { GatewayRoute } from './order-context.ts'

/** The ports of an operation that writes a gateway. */
export const writePorts = {
  gateways: dynamoGatewayStore,
  secretBox: kmsSecretBox,
  engine: sqsCallEngine,
  domains: dynamoDomainStore,
  connectorStatus: dynamoConnectorStatusStore,
}

/** Returns what decides about a gateway that a request writes. */
export async function writeContext(
  { caller, domain, clock, settings }: Pick<EndpointRequest<GatewayRoute>, 'caller' | 'domain' | 'clock' | 'settings'>,
  ports: OwnerPorts,
) {
  const owner = await readOwner(ports, domain, clock.now())
  return { clock, owner, judges: gatewayJudges(settings), isRoot: caller.domain === null }
}
