import type { HookStore } from './hook-store.ts'
import type { Hook } from './hook.ts'

/**
 * The store's `list` for callers that work beside each other for a short time: the hooks of a domain are read once for
 * all of them, as they are when they are first asked for. A hundred large hooks are some 30 MB, which a function has no
 * room for ten times. A reading that fails, fails for all of them.
 */
export function listedOnce(hooks: Pick<HookStore, 'list'>): Pick<HookStore, 'list'> {
  const known = new Map<string, Promise<Hook[]>>()
  return {
    list(domain) {
      const reading = known.get(domain) ?? hooks.list(domain)
      known.set(domain, reading)
      return reading
    },
  }
}
