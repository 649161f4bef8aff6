import type { GatewayName } from './gateway.ts'
import type { GatewayState } from './gateway-state.ts'

/** Names the state of a gateway at an engine. */
export type GatewayStateName = GatewayName & Pick<GatewayState, 'engine'>

/** The states of gateways at the engines. A state that was not written for a day counts as missing. */
export interface GatewayStateStore {
  /** Returns the states of a domain's gateways, in no order. */
  list(domain: string): Promise<readonly GatewayState[]>
  /** Writes states, any number of them; each takes the place of the one before. */
  put(states: readonly GatewayState[]): Promise<void>
  /** Removes states; missing ones are ignored. */
  remove(states: readonly GatewayStateName[]): Promise<void>
}
