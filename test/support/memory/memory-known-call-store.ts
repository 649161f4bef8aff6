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
    async put(calls) {
      for (const call of calls) state.knownCalls.set(memoryKey(call.domain, call.uuid), call)
    },
    async read(domain, uuid) {
      return find(domain, uuid)
    },
    async list(engine) {
      return [...state.knownCalls.values()].filter((call) => call.engine === engine && isKept(call))
    },
    async readEach(legs) {
      return legs.flatMap(({ domain, uuid }) => find(domain, uuid) ?? [])
    },
    async remove(legs) {
      for (const { domain, uuid } of legs) state.knownCalls.delete(memoryKey(domain, uuid))
    },
  }
}
