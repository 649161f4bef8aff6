import type { DomainStore } from '../domains/domain-store.ts'
import type { GatewayStore } from './gateway-store.ts'
import type { Gateway } from './gateway.ts'

/** The ports of {@link servedGateways}. */
export interface ServedGatewaysPorts {
  readonly gateways: Pick<GatewayStore, 'listAll'>
  readonly domains: Pick<DomainStore, 'list'>
}

/** Returns whether engines have a gateway in a SIP profile, as far as the gateway itself decides it. */
export function isServed({ enabled, profile }: Pick<Gateway, 'enabled' | 'profile'>, at: string): boolean {
  return enabled && profile === at
}

/** Returns the gateways that engines have in a SIP profile: the enabled ones of domains that are not being deleted. */
export async function servedGateways(
  { gateways, domains }: ServedGatewaysPorts,
  profile: string,
): Promise<readonly Gateway[]> {
  const [all, owners] = await Promise.all([gateways.listAll(), domains.list()])
  const names = new Set(owners.map(({ name }) => name))
  return all.filter((gateway) => isServed(gateway, profile) && names.has(gateway.domain))
}
