import type { KnownCall } from '../../../core/channels/known-call.ts'
import type { KnownCallStore } from '../../../core/channels/known-call-store.ts'
import { keptUntil } from '../../../adapters/retention.ts'
import { type MemoryContext, memoryKey } from './memory-state.ts'

/** Calls that connectors know, in memory. */
export function memoryKnownCallStore({ state, clock }: MemoryContext): KnownCallStore {
  const isKept = (call: KnownCall) => keptUntil.knownCall(call) > clock.now()
  const find = (domain: string, uuid: string) => {
    const call = state.knownCalls.get(memoryKey(domain, uuid))
    return call && isKept(call) ? call : undefined
  }
  return {
    async put(call) {
      const known = find(call.domain, call.uuid)
      const isSame = known?.engine === call.engine && known.core === call.core && known.presenceId === call.presenceId
      if (!isSame) state.knownCalls.set(memoryKey(call.domain, call.uuid), call)
    },
    async read(domain, uuid) {
      return find(domain, uuid)
    },
    async list(engine) {
      return [...state.knownCalls.values()].filter((call) => call.engine === engine && isKept(call))
    },
    async remove(domain, uuid) {
      state.knownCalls.delete(memoryKey(domain, uuid))
    },
  }
}
