import type { Log } from '../../adapters/log/logger.ts'
import type { Ports } from '../../contracts/ports.ts'
import { retry } from '../../core/concurrency/retry.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import type { ConnectorStatusStore } from '../../core/connectors/connector-status-store.ts'
import { hasListenedSince, listenings, reliedOnMs } from '../../core/connectors/connectors.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { Engine } from '../runtime/engine.ts'

/** A connector that was killed just before the link came up still seems to be there; by then it does not. */
const lookBackMs = [0, 15_000]

const reportsMs = 86_400_000

export interface MissedSinceDeps extends Time {
  readonly registry: Pick<ChannelRegistry, 'recall'>
  readonly ports: Pick<Ports, 'knownCalls' | 'connectorStatus'>
  readonly connectorId: string
  readonly random: () => number
  readonly log: Log
}

/** The fact that only this connector listens to an engine, and until when another did, epoch milliseconds, if known. */
export interface MissedSpan {
  readonly since: number | undefined
}

/** When a connector that is gone or lost its link last heard an engine, and which process of it that was. */
export interface LastConnectedPeer {
  /** Epoch milliseconds; absent while another connector listens that did so at that moment, too. */
  readonly until: number | undefined
  /** Empty when unknown. */
  readonly core: string
}

/**
 * Determines whether no connector read what an engine sent before this connector's link came up. Returns since when, as
 * far as that is known; `undefined` if another connector has read it, or if `signal` is aborted first.
 */
export async function missedSince(
  deps: MissedSinceDeps,
  engine: string,
  signal: AbortSignal,
): Promise<MissedSpan | undefined> {
  const { ports, connectorId, clock, timers } = deps
  for (const ms of lookBackMs) {
    await pause(timers, ms, signal)
    const found = await untilAnswered(deps, signal, () =>
      lastConnectedPeer({ store: ports.connectorStatus, connectorId, now: clock.now() }, engine),
    )
    if (found === undefined) return undefined
    const peer = found.value
    if (peer === undefined || peer.until !== undefined) return { since: peer?.until }
  }
  return undefined
}

/**
 * Returns which connector was the last to be connected to an engine before this one, by the reports of others;
 * `undefined` if none ever was. Connectors that start together after all others had gone get the same answer. Rejects
 * if the store is away.
 */
export async function lastConnectedPeer(
  { store, connectorId, now }: { store: Pick<ConnectorStatusStore, 'list'>; connectorId: string; now: number },
  engine: string,
): Promise<LastConnectedPeer | undefined> {
  const histories = listenings(await store.list(now - reportsMs), engine)
  const listeners = histories
    .filter((one) => one.connectorId !== connectorId && (one.since ?? one.lostAt) !== undefined)
    .map((one) => ({
      since: one.since,
      core: one.last.coreUuid,
      until: one.since === undefined ? one.heardTo : one.aliveAt,
      isGone: one.since === undefined || one.hasStopped || one.reportedAt < now - reliedOnMs,
    }))
    .toSorted((a, b) => b.until - a.until)
  const [newest] = listeners
  const gone = listeners.find(({ isGone }) => isGone)
  const isHeard = listeners.some((one) => !one.isGone && hasListenedSince(one, gone?.until ?? now))
  if (gone !== undefined && !isHeard) return { until: gone.until, core: gone.core }
  return newest && { until: undefined, core: newest.core }
}

/**
 * Returns the former addresses of an engine's process, by the reports of the last day: those that are not in `named`,
 * the addresses of the settings. Its calls are stored under them. None when `signal` is aborted.
 */
export async function formerNames(
  deps: MissedSinceDeps,
  core: string,
  named: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (core === '') return []
  const { ports, clock } = deps
  const reports = await untilAnswered(deps, signal, () => ports.connectorStatus.list(clock.now() - reportsMs))
  const links = (reports?.value ?? []).flatMap(({ eventLinks }) => eventLinks)
  const known = new Set(links.filter(({ last }) => last.coreUuid === core).map(({ engine }) => engine))
  return [...known].filter((name) => !named.includes(name))
}

/**
 * Takes up the calls that others knew of an engine, or of its process under a former name; a comparison then finds
 * those that are still up. Somebody listened until `since`. Returns how many were not known here; none when `signal` is
 * aborted.
 */
export async function recallCalls(
  deps: MissedSinceDeps,
  { name: engine, coreUuid }: Pick<Engine, 'name' | 'coreUuid'>,
  since: number | undefined,
  signal: AbortSignal,
  name = engine,
): Promise<number> {
  const stored = await untilAnswered(deps, signal, () => deps.ports.knownCalls.list(name))
  const calls = stored?.value.filter(({ core }) => name === engine || core === coreUuid) ?? []
  const recalled = calls.filter((call) => deps.registry.recall(call, since, engine)).length
  if (recalled > 0) deps.log.info('calls that another connector knew are taken up', { engine, calls: recalled })
  return recalled
}

/** Asks a store again, with growing waits, for as long as it is gone; absent when `signal` is aborted. */
async function untilAnswered<T>(
  deps: MissedSinceDeps,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<{ readonly value: T } | undefined> {
  const answer = await retry(ask, deps, { signal })
  return signal.aborted ? undefined : answer
}
