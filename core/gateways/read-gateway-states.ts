import type { ConnectorStatusStore } from '../connectors/connector-status-store.ts'
import { heardSince, reportLifeMs } from '../connectors/connectors.ts'
import type { GatewayStateStore } from './gateway-state-store.ts'
import { type ShownGatewayState, shownState } from './gateway-state.ts'

/** The ports of {@link readGatewayStates}. */
export interface GatewayStatePorts {
  readonly gatewayStates: Pick<GatewayStateStore, 'list'>
  readonly connectorStatus: Pick<ConnectorStatusStore, 'list'>
}

/**
 * Reads the present states of a domain's gateways, and returns a function that gives the state of a gateway by its
 * name.
 */
export async function readGatewayStates(
  { gatewayStates, connectorStatus }: GatewayStatePorts,
  domain: string,
  now: number,
): Promise<(name: string) => ShownGatewayState> {
  const [states, reports] = await Promise.all([gatewayStates.list(domain), connectorStatus.list(now - reportLifeMs)])
  const since = heardSince(reports, now)
  const byName = Map.groupBy(states, ({ name }) => name)
  return (name) => shownState(byName.get(name) ?? [], since)
}
