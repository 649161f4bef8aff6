import type { Log } from '../../adapters/log/logger.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { DomainNames } from '../calls/domain-names.ts'
import { type Engine, isReady } from '../runtime/engine.ts'
import type { EventRelay } from '../events/event-relay.ts'
import type { PresenceTracker } from '../events/presence.ts'
import { SyntheticEvent } from '../events/synthetic-event.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import { checkChannels } from './channel-check.ts'
import type { EventLinks } from '../links/event-links.ts'
import { endMissed } from './gone-channels.ts'
import type { LastListener } from './predecessor.ts'
import { checkRegistrations } from './registration-check.ts'
import { type UnheardDeps, recallCalls, unheard } from './unheard.ts'

/** So long a made event waits, so that the engine's own goes first where another connector has heard it. */
const holdBackMs = 3_000

/** How long after the first link the stored accounts are looked through, and how often that is tried. */
const recallMs = 2_000

/** The part of an engine that a comparison needs. */
export type ComparedEngine = Pick<Engine, 'name' | 'coreUuid' | 'commands'>

/** Keeps what the connector knows in step with the engines, across links that are lost and engines that restart. */
export interface Reconciliation {
  /** The event link of an engine is up: compares in the background. */
  linkUp(engine: ComparedEngine): void
  /** The event link of an engine is lost; `reason` is the word of the session. */
  linkDown(engineName: string, reason: string): void
  /**
   * Something of an engine was missed although its link is up: compares again. Everything was heard up to `heardTo`, epoch
   * milliseconds.
   */
  compareAgain(engineName: string, heardTo: number): void
  /** Another connector is gone: looks for ends that it alone had heard, at the engines whose event links are up. */
  othersGone(): void
  /** Lets go of what is held back, and compares no more. */
  stop(): void
}

export interface ReconciliationDeps extends Time {
  readonly links: EventLinks
  readonly registry: ChannelRegistry
  readonly presence: PresenceTracker
  readonly domains: DomainNames
  /** Every engine, also one that has never been reached. */
  readonly engines: () => readonly ComparedEngine[]
  /** Takes an event that stands for a missed one of the engine named. */
  readonly make: (event: SyntheticEvent, engineName: string) => void
  /** Calls `run` when every event of the engine that has come so far has been handled. */
  readonly inTurn: (engineName: string, run: () => void) => void
  readonly found: EventRelay['found']
  /**
   * Looks through the stored accounts of the domains that would get the event of a call's end; a call that has ended since is ended.
   * `false` when it is not known yet which domains those are.
   */
  readonly recall: () => boolean
  /** Who listened to an engine before. Rejects when that cannot be read. */
  readonly before: (engineName: string) => Promise<LastListener | undefined>
  /** The calls that connectors know. */
  readonly knownCalls: UnheardDeps['knownCalls']
  readonly random: () => number
  readonly log: Log
}

/** Compares nothing until a link comes up. */
export function reconciliation(parts: ReconciliationDeps): Reconciliation {
  const { links, registry, clock, timers, log } = parts
  const checks = new Map<string, AbortController>()
  /** Ended with the event link of the engine, or by the end of all. */
  const linked = new Map<string, AbortController>()
  const held = new Set<() => void>()

  const holdBack = (events: readonly SyntheticEvent[], engine: string) => {
    const release = () => {
      held.delete(release)
      cancel()
      for (const event of events) parts.make(event, engine)
    }
    const cancel = timers.after(holdBackMs, release)
    held.add(release)
  }

  /** Nothing of a process that is gone is left, so there is nothing to ask. */
  const endAll = (engine: string, core: string, heardTo: number) => {
    const made: SyntheticEvent[] = []
    for (const known of registry.of(engine)) {
      if (known.core !== core) continue
      const channel = { ...known, unsureSince: known.unsureSince ?? heardTo }
      endMissed(registry, channel, (name) => made.push(new SyntheticEvent(name, channel, clock.now())))
      registry.end(channel.uuid, core)
    }
    if (made.length > 0) log.warn('an engine was restarted: its calls have ended', { engine, events: made.length })
    if (made.length > 0) holdBack(made, engine)
  }

  const compare = (engine: ComparedEngine, signal: AbortSignal) => {
    const { name } = engine
    const checked = { ...parts, engine: name, link: engine.commands, log: log.with({ engine: name }) }
    void checkChannels(
      {
        ...checked,
        core: engine.coreUuid,
        currentCore: () => engine.coreUuid,
        mayHaveMissed: (microseconds) => links.mayHaveMissed(name, microseconds),
        make: (event) => parts.make(event, name),
      },
      signal,
    )
    void checkRegistrations({ ...checked, links: () => parts.engines().map(({ commands }) => commands) }, signal)
  }

  const begin = (engine: ComparedEngine) => compare(engine, renewed(checks, engine.name))

  /** Events from before the loss are handled before they become void. */
  const doubt = (engine: string, since: number) => parts.inTurn(engine, () => registry.doubt(engine, since))

  /** Accounts can be judged once the engine can be asked for their calls. */
  const recall = async ({ commands }: ComparedEngine, signal: AbortSignal) => {
    do await pause(timers, recallMs, signal)
    while (!signal.aborted && (!isReady(commands) || !parts.recall()))
  }

  /** Looks for unheard events from before this link: calls that began, and ends of calls that others knew. */
  const lookBack = async (engine: ComparedEngine, isFirst: boolean, signal: AbortSignal) => {
    const { name } = engine
    const found = await unheard(parts, name, signal)
    if (found === undefined) return
    if (isFirst && found.since !== undefined) links.missedSince(name, found.since)
    if ((await recallCalls(parts, name, found.since, signal)) > 0) begin(engine)
  }

  return {
    linkUp: (engine) => {
      const { endedCore, isFirst, heardTo } = links.up(engine.name, engine.coreUuid)
      if (endedCore !== '') {
        endAll(engine.name, endedCore, heardTo)
        parts.inTurn(engine.name, () => endAll(engine.name, endedCore, heardTo))
      }
      begin(engine)
      const signal = renewed(linked, engine.name)
      void lookBack(engine, isFirst, signal)
      if (isFirst) void recall(engine, signal)
    },
    linkDown: (engineName, reason) => {
      const heardTo = links.down(engineName, reason)
      checks.get(engineName)?.abort()
      linked.get(engineName)?.abort()
      doubt(engineName, heardTo)
    },
    compareAgain: (engineName, heardTo) => {
      const engine = parts.engines().find(({ name }) => name === engineName)
      if (engine === undefined || checks.get(engineName)?.signal.aborted !== false) return
      doubt(engineName, heardTo)
      begin(engine)
    },
    othersGone: () => {
      for (const engine of parts.engines()) {
        const link = linked.get(engine.name)
        if (link?.signal.aborted === false) void lookBack(engine, false, link.signal)
      }
    },
    stop: () => {
      for (const running of [...checks.values(), ...linked.values()]) running.abort()
      for (const release of held) release()
    },
  }
}

/** Aborts the task that ran under this name, and returns the signal of its successor. */
function renewed(running: Map<string, AbortController>, name: string): AbortSignal {
  running.get(name)?.abort()
  const next = new AbortController()
  running.set(name, next)
  return next.signal
}
