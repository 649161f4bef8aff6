import { DomainError } from '../errors.ts'
import type { GatewayStore } from './gateway-store.ts'
import { type Gateway, type GatewayName, gatewayNamePattern } from './gateway.ts'

/** Returns a gateway of a domain. Throws `not_found`. */
export async function readGateway(
  gateways: Pick<GatewayStore, 'read'>,
  { domain, name }: GatewayName,
): Promise<Gateway> {
  const gateway = gatewayNamePattern.test(name) ? await gateways.read(domain, name) : undefined
  if (gateway === undefined) throw new DomainError('not_found', 'Gateway not found')
  return gateway
}
