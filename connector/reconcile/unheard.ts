import type { Log } from '../../adapters/log/logger.ts'
import type { KnownCallStore } from '../../core/channels/known-call-store.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import { retry } from '../../core/concurrency/retry.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import type { LastListener } from './predecessor.ts'
import type { ComparedEngine } from './reconciliation.ts'

/** A connector that was killed just before the link came up still seems to be there; by then it does not. */
const lookBackMs = [0, 15_000]

export interface UnheardDeps extends Time {
  readonly registry: Pick<ChannelRegistry, 'recall'>
  readonly knownCalls: Pick<KnownCallStore, 'list'>
  /** Who listened to an engine before. Rejects when that cannot be read. */
  readonly before: (engineName: string) => Promise<LastListener | undefined>
  /** The names that a process of an engine has had. Rejects as above. */
  readonly namesOfCore: (core: string) => Promise<readonly string[]>
  readonly random: () => number
  readonly log: Log
}

/** The fact that only this connector listens to an engine, and until when another did, epoch milliseconds, if known. */
export interface Unheard {
  readonly since: number | undefined
}

/**
 * Determines whether no connector read what an engine sent before this connector's link came up. Returns since when, as
 * far as that is known; `undefined` if another connector has read it, or if `signal` is aborted first.
 */
export async function unheard(parts: UnheardDeps, engine: string, signal: AbortSignal): Promise<Unheard | undefined> {
  for (const ms of lookBackMs) {
    await pause(parts.timers, ms, signal)
    const answer = await untilAnswered(parts, signal, () => parts.before(engine))
    if (answer === undefined) return undefined
    const listener = answer.value
    if (listener === undefined || listener.until !== undefined) return { since: listener?.until }
  }
  return undefined
}

/**
 * Returns the former addresses of an engine's process: those that are not in `named`, the addresses of the settings.
 * Its calls are stored under them. None when `signal` is aborted.
 */
export async function formerNames(
  parts: UnheardDeps,
  core: string,
  named: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (core === '') return []
  const known = await untilAnswered(parts, signal, () => parts.namesOfCore(core))
  return known?.value.filter((name) => !named.includes(name)) ?? []
}

/**
 * Takes up the calls that others knew of an engine, or of its process under a former name; a comparison then finds
 * those that are still up. Somebody listened until `since`. Returns how many were not known here; none when `signal` is
 * aborted.
 */
export async function recallCalls(
  parts: UnheardDeps,
  { name: engine, coreUuid }: Pick<ComparedEngine, 'name' | 'coreUuid'>,
  since: number | undefined,
  signal: AbortSignal,
  name = engine,
): Promise<number> {
  const stored = await untilAnswered(parts, signal, () => parts.knownCalls.list(name))
  const calls = stored?.value.filter(({ core }) => name === engine || core === coreUuid) ?? []
  const recalled = calls.filter((call) => parts.registry.recall(call, since, engine)).length
  if (recalled > 0) parts.log.info('calls that another connector knew are taken up', { engine, calls: recalled })
  return recalled
}

/** Asks a store again, with growing waits, for as long as it is gone; absent when `signal` is aborted. */
async function untilAnswered<T>(
  parts: UnheardDeps,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<{ readonly value: T } | undefined> {
  const answer = await retry(ask, parts, { signal })
  return signal.aborted ? undefined : answer
}
