import type { KnownCall, PlacedCall } from '../../../core/channels/known-call.ts'
import type { KnownCallStore } from '../../../core/channels/known-call-store.ts'
import { keptUntil } from '../../../adapters/retention.ts'
import { type MemoryContext, memoryKey } from './memory-state.ts'

/** What is stored of a call: what an engine has reported, and that the API placed it. */
export interface StoredLeg {
  readonly domain: string
  readonly uuid: string
  readonly call?: KnownCall | undefined
  readonly placed?: Omit<PlacedCall, 'isUp'> | undefined
}

/** Live legs in memory. */
export function memoryKnownCallStore({ state, clock }: MemoryContext): KnownCallStore {
  const keptTo = ({ call, placed }: StoredLeg) =>
    keptUntil.knownCall(Math.max(call?.knownAt ?? 0, placed?.placedAt ?? 0))
  const all = () => [...state.knownCalls.values()].filter((leg) => keptTo(leg) > clock.now())
  const calls = () => all().flatMap(({ call }) => call ?? [])
  return {
    async put(call) {
      const key = memoryKey(call.domain, call.uuid)
      const stored = state.knownCalls.get(key)
      const isMissing = stored?.call === undefined
      if (isMissing ? call.state === 'ended' : stored.call.changedAt > call.changedAt) return
      state.knownCalls.set(key, { ...stored, domain: call.domain, uuid: call.uuid, call })
    },
    async read(domain, uuid) {
      return calls().find((call) => call.domain === domain && call.uuid === uuid)
    },
    async list(engine) {
      return calls().filter((call) => call.engine === engine)
    },
    async listOf(domain) {
      return calls().filter((call) => call.domain === domain)
    },
    async remove(legs) {
      for (const { domain, uuid } of legs) state.knownCalls.delete(memoryKey(domain, uuid))
    },
    async place({ domain, uuid, placedAt, showsBy }) {
      const key = memoryKey(domain, uuid)
      const stored = state.knownCalls.get(key)
      const placed = { domain, uuid, placedAt: stored?.placed?.placedAt ?? placedAt, showsBy }
      state.knownCalls.set(key, { ...stored, domain, uuid, placed })
    },
    async answered({ domain, uuid }, showsBy) {
      const key = memoryKey(domain, uuid)
      const stored = state.knownCalls.get(key)
      if (stored?.placed === undefined) return
      state.knownCalls.set(key, { ...stored, placed: { ...stored.placed, showsBy } })
    },
    async listPlaced(domain) {
      const isOpen = ({ call, domain: of }: StoredLeg) => of === domain && call?.state !== 'ended'
      return all()
        .filter(isOpen)
        .flatMap(({ call, placed }) => placed && Object.assign({ isUp: call !== undefined }, placed))
        .filter((placed) => placed !== undefined)
    },
    async unplace({ domain, uuid }) {
      const key = memoryKey(domain, uuid)
      const call = state.knownCalls.get(key)?.call
      if (call === undefined) state.knownCalls.delete(key)
      else state.knownCalls.set(key, { domain, uuid, call })
    },
  }
}
