import type { Gateway } from './gateway.ts'
import type { DomainStore } from '../domains/domain-store.ts'

/** How long the gateways that have networks are kept in memory. A change of them is in force within 10 s. */
export const networksKeptMs = 5_000

/** The gateways of the tenants. */
export interface GatewayStore {
  list(domain: string): Promise<readonly Gateway[]>
  /** Returns the gateways of all domains, in no order. Reads consistently. */
  listAll(): Promise<readonly Gateway[]>
  /**
   * Returns the enabled gateways of all domains that have networks, in no order. The answer may be
   * {@link networksKeptMs} old: strangers decide how often this is asked.
   */
  listByNetwork(): Promise<readonly Gateway[]>
  read(domain: string, name: string): Promise<Gateway | undefined>
  /** Writes a new gateway: `exists` when there is one of that name, `full` when the domain has `most` already. */
  create(gateway: Gateway, most: number): Promise<'created' | 'exists' | 'full'>
  /** Replaces a gateway whose version is still `gateway.version - 1`; otherwise returns `false`. */
  replace(gateway: Gateway): Promise<boolean>
  /** Removes a gateway that still has this version; otherwise returns `false`. */
  remove(gateway: Gateway): Promise<boolean>
}

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
