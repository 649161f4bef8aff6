import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { DomainNames } from '../calls/domain-names.ts'
import type { Engine } from '../runtime/engine.ts'
import type { EventBuffer } from '../buffer/event-buffer.ts'
import type { EventRelay } from '../events/event-relay.ts'
import type { PresenceTracker } from '../events/presence.ts'
import { SyntheticEvent } from '../calls/synthetic-event.ts'
import { checkChannels } from './channel-check.ts'
import type { EventLinks } from './event-links.ts'
import { endMissed } from './gone-channels.ts'
import { type MissedSinceDeps, formerNames, missedSince, recallCalls } from './missed-since.ts'
import { checkRegistrations } from './registration-check.ts'

/** So long a made event waits, so that the engine's own goes first where another connector has heard it. */
const holdBackMs = 3_000

/** The part of an engine that a comparison needs. */
export type ComparedEngine = Pick<Engine, 'name' | 'coreUuid' | 'commands'>

export interface ReconciliationDeps extends MissedSinceDeps {
  readonly links: EventLinks
  readonly registry: ChannelRegistry
  readonly presence: PresenceTracker
  readonly domains: DomainNames
  /** Every engine, also one that has never been reached. */
  readonly engines: readonly ComparedEngine[]
  readonly buffer: Pick<EventBuffer, 'add' | 'afterThese'>
  readonly relay: Pick<EventRelay, 'found'>
}

/**
 * Keeps what the connector knows in step with the engines, across links that are lost and engines that restart.
 * Compares nothing until a link comes up.
 */
export class Reconciliation {
  readonly #deps: ReconciliationDeps
  readonly #checks = new Map<string, AbortController>()
  /** Ended with the event link of the engine, or by the end of all. */
  readonly #linked = new Map<string, AbortController>()
  readonly #held = new Set<() => void>()

  constructor(deps: ReconciliationDeps) {
    this.#deps = deps
  }

  linkUp(engine: ComparedEngine): void {
    const { links, buffer } = this.#deps
    const { name } = engine
    const { endedCore, isFirst, heardTo } = links.up(name, engine.coreUuid)
    if (endedCore !== '') {
      this.#endAll(name, endedCore, heardTo)
      buffer.afterThese(() => this.#endAll(name, endedCore, heardTo))
    }
    this.#compare(engine)
    const signal = renewed(this.#linked, name)
    void this.#lookBack(engine, isFirst, signal)
    if (isFirst) void this.#lookBackFurther(engine, signal)
  }

  linkDown(engineName: string, reason: string): void {
    const heardTo = this.#deps.links.down(engineName, reason)
    this.#checks.get(engineName)?.abort()
    this.#linked.get(engineName)?.abort()
    this.#markUnconfirmed(engineName, heardTo)
  }

  /**
   * Something of an engine was missed although its link is up: compares again. Everything was heard up to `heardTo`,
   * epoch milliseconds.
   */
  compareAgain(engineName: string, heardTo: number): void {
    const engine = this.#deps.engines.find(({ name }) => name === engineName)
    if (engine === undefined || this.#checks.get(engineName)?.signal.aborted !== false) return
    this.#markUnconfirmed(engineName, heardTo)
    this.#compare(engine)
  }

  /** Another connector is gone: looks for ends that it alone had heard, at the engines whose event links are up. */
  othersGone(): void {
    for (const engine of this.#deps.engines) {
      const link = this.#linked.get(engine.name)
      if (link?.signal.aborted === false) void this.#lookBack(engine, false, link.signal)
    }
  }

  stop(): void {
    for (const running of [...this.#checks.values(), ...this.#linked.values()]) running.abort()
    for (const release of this.#held) release()
  }

  #compare(engine: ComparedEngine): void {
    const signal = renewed(this.#checks, engine.name)
    const { links, log, buffer, relay, engines, registry, presence } = this.#deps
    const { name } = engine
    const checked = { ...this.#deps, engine: name, link: engine.commands, log: log.with({ engine: name }) }
    void checkChannels(
      {
        ...checked,
        core: engine.coreUuid,
        currentCore: () => engine.coreUuid,
        mayHaveMissed: (microseconds) => links.mayHaveMissed(name, microseconds),
        make: (event) => buffer.add(event, name),
        onConfirmed: () => {
          registry.confirmAll(name)
          presence.confirmed(name, (uuid) => registry.find(uuid) !== undefined)
        },
      },
      signal,
    )
    const found: EventRelay['found'] = (domain, registration) => relay.found(domain, registration)
    void checkRegistrations({ ...checked, found, links: () => engines.map(({ commands }) => commands) }, signal)
  }

  /** Looks for what no connector read before this link came up: calls that began, and known calls that ended. */
  async #lookBack(engine: ComparedEngine, isFirst: boolean, signal: AbortSignal, name = engine.name): Promise<void> {
    const found = await missedSince(this.#deps, name, signal)
    if (found === undefined) return
    if (isFirst && found.since !== undefined) this.#deps.links.missedSince(engine.name, found.since)
    if ((await recallCalls(this.#deps, engine, found.since, signal, name)) > 0) this.#compare(engine)
  }

  async #lookBackFurther(engine: ComparedEngine, signal: AbortSignal): Promise<void> {
    const named = this.#deps.engines.map(({ name }) => name)
    const names = await formerNames(this.#deps, engine.coreUuid, named, signal)
    for (const name of names) void this.#lookBack(engine, true, signal, name)
  }

  /** Nothing of a process that is gone is left, so there is nothing to ask. */
  #endAll(engine: string, core: string, heardTo: number): void {
    const { registry, clock, log } = this.#deps
    const made: SyntheticEvent[] = []
    for (const known of registry.of(engine)) {
      if (known.core !== core) continue
      const channel = { ...known, unsureSince: known.unsureSince ?? heardTo }
      endMissed(registry, channel, (name) => made.push(new SyntheticEvent(name, channel, clock.now())))
      registry.end(channel.uuid, core)
    }
    if (made.length > 0) log.warn('an engine was restarted: its calls have ended', { engine, events: made.length })
    if (made.length > 0) this.#holdBack(made, engine)
  }

  #holdBack(events: readonly SyntheticEvent[], engine: string): void {
    const release = () => {
      this.#held.delete(release)
      cancel()
      for (const event of events) this.#deps.buffer.add(event, engine)
    }
    const cancel = this.#deps.timers.after(holdBackMs, release)
    this.#held.add(release)
  }

  /** Events from before the loss are handled before they become void. */
  #markUnconfirmed(engine: string, since: number): void {
    const { registry, buffer } = this.#deps
    buffer.afterThese(() => registry.markUnconfirmed(engine, since))
  }
}

/** Aborts the task that ran under this name, and returns the signal of its successor. */
function renewed(running: Map<string, AbortController>, name: string): AbortSignal {
  running.get(name)?.abort()
  const next = new AbortController()
  running.set(name, next)
  return next.signal
}
