import { lowerAscii } from '../access/resolve-domain.ts'
import type { GatewayStore } from '../gateways/gateway-store.ts'
import { type Gateway, gatewayOfEngine } from '../gateways/gateway.ts'
import { strongestFirst } from '../gateways/network-claims.ts'

/** The source of a call that no account authenticated, as the engine reports it. */
export interface CallSource {
  /** The engine's name of the gateway whose contact was called. The caller chooses it. */
  readonly gateway: string | undefined
  /** The address that the request was received from. The caller cannot choose it. */
  readonly address: string
  /** The host in the address that was called. The caller chooses it. */
  readonly requestHost: string
  /** The SIP profile at which the call came in. */
  readonly profile: string
}

/** The knowledge of addresses that {@link gatewayOfCall} needs. */
export interface SourceJudges {
  /** Returns whether an address is in a network in CIDR notation. */
  readonly contains: (cidr: string, address: string) => boolean
  readonly isAllowed: (cidr: string) => boolean
  /** Returns the addresses of a host name; none for one that cannot be resolved in time. */
  readonly addressesOf: (host: string) => Promise<readonly string[]>
}

/** Reports a call that only the age of a network decided, and the domains with its source; the first got it. */
export type ReportAmbiguous = (domains: readonly string[]) => void

/**
 * Returns the gateway that a call comes from; `undefined` for a stranger. If a gateway's contact was called, its source
 * must be the proxy or in the networks. Any other call goes to a gateway whose networks hold the source: in the domain
 * that the called address names, else in the domain with the strongest claim. So no domain takes or blocks calls of
 * another.
 */
export async function gatewayOfCall(
  gateways: Pick<GatewayStore, 'read' | 'listByNetwork'>,
  source: CallSource,
  judges: SourceJudges,
  reportAmbiguous: ReportAmbiguous,
): Promise<Gateway | undefined> {
  if (source.address === '') return undefined
  const claimsIn = (gateway: Gateway) =>
    gateway.networks
      .filter((network) => judges.contains(network, source.address))
      .map((network) => ({ gateway, network }))
  if (source.gateway !== undefined && source.gateway !== '') {
    const name = gatewayOfEngine(source.gateway)
    const gateway = name && (await gateways.read(name.domain, name.name))
    if (gateway === undefined || !gateway.enabled || gateway.profile !== source.profile) return undefined
    return claimsIn(gateway).length > 0 || (await isProxy(gateway, source.address, judges)) ? gateway : undefined
  }
  const known = await gateways.listByNetwork()
  const claims = known.filter(({ profile }) => profile === source.profile).flatMap(claimsIn)
  const domains = [...new Set(claims.toSorted(strongestFirst(judges.isAllowed)).map(({ gateway }) => gateway.domain))]
  const named = lowerAscii(source.requestHost)
  const domain = domains.includes(named) ? named : domains[0]
  const own = claims.filter(({ gateway }) => gateway.domain === domain)
  const isConfirmed = own.some(({ gateway, network }) => gateway.confirmedNetworks.includes(network))
  if (domains.length > 1 && domain !== named && !isConfirmed) reportAmbiguous(domains)
  return own.map(({ gateway }) => gateway).toSorted(byName)[0]
}

async function isProxy({ proxy }: Gateway, address: string, { addressesOf }: SourceJudges): Promise<boolean> {
  const host = proxy.split(':')[0] ?? ''
  return host === address || (await addressesOf(host)).includes(address)
}

function byName({ name: a }: Gateway, { name: b }: Gateway): number {
  return a < b ? -1 : 1
}
