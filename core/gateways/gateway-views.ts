import type { ConnectorReport } from '../connectors/connector-report.ts'
import type { ConnectorStatusStore } from '../connectors/connector-status-store.ts'
import { engineViews, heardSince, reportLifeMs } from '../connectors/connectors.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import type { Domain } from '../domains/domain.ts'
import { type GatewayJudges, type GatewayOwner, ignoredFields } from './gateway-input.ts'
import { shownState } from './gateway-state.ts'
import type { GatewayStateStore } from './gateway-state-store.ts'
import type { Gateway } from './gateway.ts'
import type { GatewayView } from './present-gateway.ts'

/** The ports of {@link gatewayViews}. */
export interface GatewayViewPorts extends OwnerPorts {
  readonly gatewayStates: Pick<GatewayStateStore, 'list'>
}

/**
 * Returns a function that says of each gateway of a domain how it is at `now`, epoch milliseconds: its state, and which
 * fields would be refused.
 */
export async function gatewayViews(
  ports: GatewayViewPorts,
  domain: string,
  { now, judges }: { readonly now: number; readonly judges: GatewayJudges },
): Promise<(gateway: Gateway) => GatewayView> {
  const [states, found, reports] = await Promise.all([
    ports.gatewayStates.list(domain),
    ports.domains.read(domain),
    ports.connectorStatus.list(now - reportLifeMs),
  ])
  const owner = ownerOf(found, reports, now)
  const since = heardSince(reports, now)
  const byName = Map.groupBy(states, ({ name }) => name)
  return (gateway) => ({
    state: shownState(byName.get(gateway.name) ?? [], since),
    ignored: ignoredFields(gateway, judges, owner),
  })
}

/** The ports of {@link readOwner}. */
export interface OwnerPorts {
  readonly domains: Pick<DomainStore, 'read'>
  readonly connectorStatus: Pick<ConnectorStatusStore, 'list'>
}

/** Reads what decides about the gateways of a domain at `now`: parameters, and whether all engines have TLS. */
export async function readOwner(
  { domains, connectorStatus }: OwnerPorts,
  domain: string,
  now: number,
): Promise<GatewayOwner> {
  const [found, reports] = await Promise.all([domains.read(domain), connectorStatus.list(now - reportLifeMs)])
  return ownerOf(found, reports, now)
}

function ownerOf(domain: Domain | undefined, reports: readonly ConnectorReport[], now: number): GatewayOwner {
  const known = engineViews(reports, now).flatMap(({ hasGatewayTls }) => hasGatewayTls ?? [])
  return {
    domain: { parameters: domain?.parameters ?? {} },
    hasTls: known.length === 0 ? undefined : known.every(Boolean),
  }
}
