import type { HookStore } from '../../../core/hooks/definition/hook-store.ts'
import { type MemoryContext, byText, memoryKey } from './memory-state.ts'

/** Hooks in memory. */
export function memoryHookStore({ state }: MemoryContext): HookStore {
  const ofDomain = (domain: string) => [...state.hooks.values()].filter((hook) => hook.domain === domain)
  return {
    async create(hooks, limit) {
      if (hooks.some((hook) => state.hooks.has(memoryKey(hook.domain, hook.id)))) return true
      const domains = new Set(hooks.map((hook) => hook.domain))
      const fits = [...domains].every((domain) => {
        return ofDomain(domain).length + hooks.filter((hook) => hook.domain === domain).length <= limit
      })
      if (!fits) return false
      for (const hook of hooks) state.hooks.set(memoryKey(hook.domain, hook.id), hook)
      if (hooks.length > 0) state.subscriptions.version += 1
      return true
    },
    async read(domain, id) {
      return state.hooks.get(memoryKey(domain, id))
    },
    async list(domain) {
      return ofDomain(domain)
        .sort(byText((hook) => hook.id))
        .sort((a, b) => a.createdAt - b.createdAt)
    },
    async count(domain) {
      return ofDomain(domain).length
    },
    async replace(hook) {
      const key = memoryKey(hook.domain, hook.id)
      if (state.hooks.get(key)?.version !== hook.version - 1) return false
      state.hooks.set(key, hook)
      state.subscriptions.version += 1
      return true
    },
    async remove({ domain, id, version }) {
      const key = memoryKey(domain, id)
      if (state.hooks.get(key)?.version !== version) return false
      state.hooks.delete(key)
      state.subscriptions.version += 1
      return true
    },
    async countFailure(domain, id, { delivery, at }) {
      const key = memoryKey(domain, id)
      const hook = state.hooks.get(key)
      if (hook === undefined || hook.lastFailure === delivery) return hook
      const { failures = 0, failingSince = at } = hook
      const counted = { ...hook, failures: failures + 1, failingSince, lastFailure: delivery }
      state.hooks.set(key, counted)
      return counted
    },
    async clearFailures(domain, id) {
      const key = memoryKey(domain, id)
      const hook = state.hooks.get(key)
      if (hook === undefined) return
      const { failures: _, failingSince: __, lastFailure: ___, ...rest } = hook
      state.hooks.set(key, rest)
    },
    async noteLate({ domain, id }, lateAt) {
      const key = memoryKey(domain, id)
      const hook = state.hooks.get(key)
      if (hook !== undefined) state.hooks.set(key, { ...hook, lateAt })
    },
    async renewNotice({ domain, id, version }, noticeTries) {
      const key = memoryKey(domain, id)
      const hook = state.hooks.get(key)
      if (hook?.version !== version) return false
      state.hooks.set(key, { ...hook, noticeDue: true, noticeTries })
      return true
    },
    async endNotice({ domain, id, version }) {
      const key = memoryKey(domain, id)
      const hook = state.hooks.get(key)
      if (hook?.version !== version || hook.noticeDue !== true) return false
      const { noticeDue: _, ...rest } = hook
      state.hooks.set(key, rest)
      return true
    },
  }
}
