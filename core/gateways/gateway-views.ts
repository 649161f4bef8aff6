import type { ConnectorStatusStore } from '../connectors/connector-status-store.ts'
import { engineViews, reportLifeMs } from '../connectors/connectors.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import { type GatewayJudges, type GatewayOwner, ignoredFields } from './gateway-input.ts'
import type { Gateway } from './gateway.ts'
import type { GatewayView } from './present-gateway.ts'
import { type GatewayStatePorts, readGatewayStates } from './read-gateway-states.ts'

/** The ports of {@link gatewayViews}. */
export interface GatewayViewPorts extends GatewayStatePorts, OwnerPorts {}

/** Returns a function that says of each gateway of a domain how it is at `now`: its state, and what of it would be refused. */
export async function gatewayViews(
  ports: GatewayViewPorts,
  domain: string,
  { now, judges }: { readonly now: number; readonly judges: GatewayJudges },
): Promise<(gateway: Gateway) => GatewayView> {
  const [stateOf, owner] = await Promise.all([readGatewayStates(ports, domain, now), readOwner(ports, domain, now)])
  return (gateway) => ({ state: stateOf(gateway.name), ignored: ignoredFields(gateway, judges, owner) })
}

/** The ports of {@link readOwner}. */
export interface OwnerPorts {
  readonly domains: Pick<DomainStore, 'read'>
  readonly connectorStatus: Pick<ConnectorStatusStore, 'list'>
}

/** Reads what decides about the gateways of a domain at `now`: its parameters, and whether all engines have TLS for gateways. */
export async function readOwner(
  { domains, connectorStatus }: OwnerPorts,
  domain: string,
  now: number,
): Promise<GatewayOwner> {
  const [owner, reports] = await Promise.all([domains.read(domain), connectorStatus.list(now - reportLifeMs)])
  const known = engineViews(reports, now).flatMap(({ hasGatewayTls }) => hasGatewayTls ?? [])
  return {
    domain: { parameters: owner?.parameters ?? {} },
    hasTls: known.length === 0 ? undefined : known.every(Boolean),
  }
}
