import type { Ports } from '../../contracts/ports.ts'
import { gatewayRevision } from '../../core/gateways/gateway-revision.ts'
import { type GatewayName, gatewayAtEngine } from '../../core/gateways/gateway.ts'
import { isServed, servedGateways } from '../../core/gateways/served-gateways.ts'
import { gatewayProfile } from './command-line.ts'

/** Revisions by the names of gateways at engines. */
export type Revisions = ReadonlyMap<string, string>

/** The gateways that engines are to have, as they are stored now. Rejects when a store is gone. */
export interface WantedGateways {
  /** Returns the revisions of these gateways; one that engines are not to have is missing. */
  of(gateways: readonly GatewayName[]): Promise<Revisions>
  all(): Promise<Revisions>
}

/** Reads them as they are served: enabled, of a domain whose deletion has not begun. */
export function wantedGateways({
  gateways,
  domains,
}: {
  readonly gateways: Pick<Ports['gateways'], 'read' | 'listAll'>
  readonly domains: Pick<Ports['domains'], 'read' | 'list'>
}): WantedGateways {
  const one = async ({ domain, name }: GatewayName): Promise<[string, string][]> => {
    const [gateway, owner] = await Promise.all([gateways.read(domain, name), domains.read(domain)])
    if (gateway === undefined || owner === undefined || !isServed(gateway, gatewayProfile)) return []
    return [[gatewayAtEngine(gateway), gatewayRevision(gateway)]]
  }
  return {
    of: async (names) => new Map((await Promise.all(names.map(one))).flat()),
    all: async () => {
      const served = await servedGateways({ gateways, domains }, gatewayProfile)
      return new Map(served.map((gateway) => [gatewayAtEngine(gateway), gatewayRevision(gateway)]))
    },
  }
}
