import { keptUntil } from '../../../adapters/retention.ts'
import type { GatewayStateName, GatewayStateStore } from '../../../core/gateways/gateway-state-store.ts'
import { type MemoryContext, memoryKey } from './memory-state.ts'

/** States of gateways in memory. */
export function memoryGatewayStateStore({ state, clock }: MemoryContext): GatewayStateStore {
  const key = ({ domain, name, engine }: GatewayStateName) => memoryKey(domain, name, engine)
  return {
    async list(domain) {
      return [...state.gatewayStates.values()].filter(
        (one) => one.domain === domain && keptUntil.gatewayState(one.observedAt) > clock.now(),
      )
    },
    async put(states) {
      for (const one of states) state.gatewayStates.set(key(one), one)
    },
    async remove(states) {
      for (const one of states) state.gatewayStates.delete(key(one))
    },
  }
}
