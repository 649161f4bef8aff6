import type { Gateway } from './gateway.ts'

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
