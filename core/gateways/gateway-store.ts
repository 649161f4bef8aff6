import type { Gateway } from './gateway.ts'

/** The gateways of the tenants. */
export interface GatewayStore {
  /** Returns the gateways of a domain, by name. */
  list(domain: string): Promise<readonly Gateway[]>
  /** Returns the gateways of all domains, in no order. Reads consistently. */
  listAll(): Promise<readonly Gateway[]>
  read(domain: string, name: string): Promise<Gateway | undefined>
  /** Writes a new gateway: `exists` when there is one of that name, `full` when the domain has `most` already. */
  create(gateway: Gateway, most: number): Promise<'created' | 'exists' | 'full'>
  /** Replaces a gateway whose version is still `gateway.version - 1`; otherwise returns `false`. */
  replace(gateway: Gateway): Promise<boolean>
  /** Removes a gateway that still has this version; otherwise returns `false`. */
  remove(gateway: Gateway): Promise<boolean>
}
