import { permissionDenied } from '../access/permission.ts'
import { invalidField } from '../errors.ts'
import type { Gateway } from './gateway.ts'

type Claims = Pick<Gateway, 'networksSince' | 'confirmedNetworks'>

/** The writer of a gateway: only root confirms networks. */
export interface ClaimWriter {
  readonly isRoot: boolean
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Returns the claims of a gateway that is being written. A network that it already had keeps its time and confirmation;
 * a new one starts now. Throws `permission_denied` if anyone but root confirms a network, and `invalid_field` if the
 * gateway does not have a confirmed network.
 */
export function claimsOf(
  { networks, confirmed }: { readonly networks: readonly string[]; readonly confirmed: readonly string[] | undefined },
  stored: (Claims & Pick<Gateway, 'networks' | 'createdAt'>) | undefined,
  { isRoot, now }: ClaimWriter,
): Claims {
  const kept = stored?.confirmedNetworks ?? []
  const wanted = [...new Set(confirmed ?? kept.filter((network) => networks.includes(network)))]
  if (!isRoot && wanted.some((network) => !kept.includes(network))) {
    throw permissionDenied('only root may confirm networks: leave confirmed_networks out')
  }
  if (wanted.some((network) => !networks.includes(network))) {
    throw invalidField('confirmed_networks', 'must be some of networks')
  }
  const since = networks.map((network): [string, number] => [network, startOf(network, stored) ?? now])
  return { networksSince: Object.fromEntries(since), confirmedNetworks: wanted }
}

function startOf(
  network: string,
  stored: (Pick<Gateway, 'networks' | 'networksSince'> & { readonly createdAt: number }) | undefined,
): number | undefined {
  return stored?.networks.includes(network) ? (stored.networksSince[network] ?? stored.createdAt) : undefined
}

/** A network of a gateway that has the address of a caller. */
export interface Claim {
  readonly gateway: Gateway
  readonly network: string
}

/**
 * Orders claims on one address: networks that root has confirmed first, then those that may be named today, then the
 * oldest. So a gateway takes no calls of another by naming its network later.
 */
export function strongestFirst(isAllowed: (network: string) => boolean): (a: Claim, b: Claim) => number {
  const weakness = ({ gateway, network }: Claim) =>
    gateway.confirmedNetworks.includes(network) ? 0 : isAllowed(network) ? 1 : 2
  const start = ({ gateway, network }: Claim) => startOf(network, gateway) ?? gateway.createdAt
  return (a, b) => weakness(a) - weakness(b) || start(a) - start(b) || (a.gateway.domain < b.gateway.domain ? -1 : 1)
}

/** The first and the last address of a network, in texts that are ordered as the addresses are. */
export interface NetworkRange {
  readonly first: string
  readonly last: string
}

const maxOverlaps = 20

/** Returns a function that finds gateways of other domains, as `<domain>/<name>`, that share an address with one. */
export function overlapFinder(
  all: readonly Gateway[],
  rangeOf: (network: string) => NetworkRange | undefined,
): (gateway: Gateway) => readonly string[] {
  const ranges = new Map(all.map((gateway) => [gateway, gateway.networks.flatMap((network) => rangeOf(network) ?? [])]))
  return (gateway) => {
    const own = gateway.networks.flatMap((network) => rangeOf(network) ?? [])
    const isShared = ({ first, last }: NetworkRange) => own.some((range) => range.first <= last && first <= range.last)
    const others = [...ranges].filter(([{ domain }, of]) => domain !== gateway.domain && of.some(isShared))
    return others
      .map(([{ domain, name }]) => `${domain}/${name}`)
      .toSorted()
      .slice(0, maxOverlaps)
  }
}
