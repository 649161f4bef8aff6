import type { KnownCall } from '../../core/channels/known-call.ts'
import type { KnownCallStore } from '../../core/channels/known-call-store.ts'
import type { Clock } from '../../core/time.ts'
import type { Engine } from '../runtime/engine.ts'
import type { ChannelRegistry } from './channel-registry.ts'
import type { StoredCalls } from './stored-calls.ts'

export interface UnconfirmedCallsDeps {
  readonly store: Pick<KnownCallStore, 'listOf'>
  readonly registry: Pick<ChannelRegistry, 'find' | 'isConfirmed'>
  /** Every engine, also one that has never been reached. */
  readonly engines: readonly Pick<Engine, 'name' | 'coreUuid'>[]
  readonly calls: Pick<StoredCalls, 'abandon'>
  readonly clock: Clock
}

/**
 * Makes a reader of the stored legs of a domain that count as up until their engine is compared. A leg that this
 * process has heard counts by its own events. If an engine was taken out of the settings before this process began, its
 * legs count as ended: no connector hears that engine any more. Rejects when the store cannot be reached.
 */
export function unconfirmedCalls(deps: UnconfirmedCallsDeps): (domain: string) => Promise<KnownCall[]> {
  const { store, registry, engines, calls, clock } = deps
  const startedAt = clock.now()

  /** The address of an engine may have changed while its process went on. */
  const engineOf = ({ engine, core }: KnownCall) =>
    engines.find(({ name, coreUuid }) => name === engine || coreUuid === core)?.name

  return async (domain) => {
    const up = (await store.listOf(domain)).filter(({ state }) => state === 'up')
    return up.flatMap((call) => {
      const engine = engineOf(call)
      if (engine === undefined && call.knownAt < startedAt) calls.abandon(call)
      const known = registry.find(call.uuid)
      if (engine === undefined || known?.heard === true) return []
      return known !== undefined || !registry.isConfirmed(engine) ? [{ ...call, engine }] : []
    })
  }
}
