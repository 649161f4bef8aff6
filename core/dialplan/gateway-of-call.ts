import { lowerAscii } from '../access/resolve-domain.ts'
import type { GatewayStore } from '../gateways/gateway-store.ts'
import { type Gateway, gatewayOfEngine } from '../gateways/gateway.ts'

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
  /** Returns the addresses of a host name; none for one that cannot be resolved in time. */
  readonly addressesOf: (host: string) => Promise<readonly string[]>
}

/** Reports a call that is refused because gateways of these domains have its source, and the called address names none of them. */
export type ReportAmbiguous = (domains: readonly string[]) => void

/**
 * Returns the gateway that a call comes from; `undefined` for a stranger. A gateway whose contact was called is believed when the
 * source is its proxy or in its networks. Other calls belong to the gateway in whose networks the source is; where gateways of several
 * domains have it, the called address must name one of these domains, or the call is reported and refused.
 */
export async function gatewayOfCall(
  gateways: Pick<GatewayStore, 'read' | 'listByNetwork'>,
  source: CallSource,
  judges: SourceJudges,
  reportAmbiguous: ReportAmbiguous,
): Promise<Gateway | undefined> {
  if (source.address === '') return undefined
  const isOfNetworks = ({ networks }: Gateway) => networks.some((cidr) => judges.contains(cidr, source.address))
  if (source.gateway !== undefined && source.gateway !== '') {
    const name = gatewayOfEngine(source.gateway)
    const gateway = name && (await gateways.read(name.domain, name.name))
    if (gateway === undefined || !gateway.enabled || gateway.profile !== source.profile) return undefined
    return isOfNetworks(gateway) || (await isProxy(gateway, source.address, judges)) ? gateway : undefined
  }
  const known = await gateways.listByNetwork()
  const found = known.filter((gateway) => gateway.profile === source.profile && isOfNetworks(gateway))
  const domains = new Set(found.map(({ domain }) => domain))
  const domain = domains.size > 1 ? lowerAscii(source.requestHost) : found[0]?.domain
  if (domain !== undefined && !domains.has(domain)) reportAmbiguous([...domains].toSorted())
  return found.filter((gateway) => gateway.domain === domain).toSorted(byName)[0]
}

async function isProxy({ proxy }: Gateway, address: string, { addressesOf }: SourceJudges): Promise<boolean> {
  const host = proxy.split(':')[0] ?? ''
  return host === address || (await addressesOf(host)).includes(address)
}

function byName({ name: a }: Gateway, { name: b }: Gateway): number {
  return a < b ? -1 : 1
}
