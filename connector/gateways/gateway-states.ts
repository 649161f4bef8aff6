import type { Log } from '../../adapters/log/logger.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import type { GatewayStateName, GatewayStateStore } from '../../core/gateways/gateway-state-store.ts'
import type { GatewayState } from '../../core/gateways/gateway-state.ts'
import { type GatewayName, gatewayAtEngine } from '../../core/gateways/gateway.ts'
import type { DomainNames } from '../calls/domain-names.ts'
import { gatewayProfile } from '../commands/command-line.ts'
import { errorLatch } from '../runtime/error-latch.ts'
import { type Engine, type EngineEvent, type EngineLink, isReady } from '../runtime/engine.ts'
import {
  type ReportedGateway,
  profileLine,
  readGatewayEvent,
  readGatewayStates,
  readProfileTls,
  statesLine,
} from './gateway-reports.ts'

const lookMs = 500

/** From one comparison with an engine to the next: a change without an event is noticed by then. */
const compareMs = 60_000

/** A gateway that does not register sends no state, so that a new one is read; one rescan's are read together. */
const newMs = 1_000

/** Readings of one engine are at least so far apart, and so are attempts of a read or write that failed. */
const restMs = 2_000
const againMs = 5_000

/** A state expires in the store after a day. */
const renewMs = 12 * 3_600_000

const together = 500

/** Gateways that are tracked, of all engines; 6 MB. Further ones have no state. */
const maxTracked = 20_000

interface Tracked {
  readonly gateway: ReportedGateway
  readonly stored?: { readonly as: ReportedGateway; readonly at: number } | undefined
}

interface TrackedEngine {
  readonly link: Pick<EngineLink, 'api' | 'state'>
  readonly gateways: Map<string, Tracked>
  /** Gateways that are gone and may have a stored state. */
  readonly gone: Map<string, GatewayStateName>
  /** Gateways of which an event came since the reading began that is under way. */
  readonly heard: Set<string>
  /** Whether its profile of gateways has TLS; `undefined` before it was asked. */
  hasTls: boolean | undefined
  isReading: boolean
  readAt: number
  isFull: boolean
}

/** The dependencies of {@link GatewayStates}. */
export interface GatewayStatesDeps extends Time {
  readonly store: Pick<GatewayStateStore, 'put' | 'remove'>
  readonly domains: DomainNames
  readonly log: Log
}

/**
 * Knows the states of the gateways at each engine from events, and from a comparison when the event link came up, after
 * new gateways, and once a minute. Stores what changes, until the next link with the same engine anew: a state counts
 * for readers only if it was stored since then.
 */
export class GatewayStates {
  readonly #deps: GatewayStatesDeps
  readonly #engines = new Map<string, TrackedEngine>()
  #isDue = false
  #writeAt = 0

  constructor(deps: GatewayStatesDeps) {
    this.#deps = deps
  }

  get size(): number {
    return [...this.#engines.values()].reduce((all, { gateways }) => all + gateways.size, 0)
  }

  /** Whether the engine named has TLS for gateways; `undefined` while that is not known. */
  hasTls(engine: string): boolean | undefined {
    return this.#engines.get(engine)?.hasTls
  }

  linkUp({ name, commands }: { readonly name: string; readonly commands: Pick<Engine['commands'], 'api' | 'state'> }) {
    this.#engines.set(name, {
      link: commands,
      gateways: new Map(),
      gone: new Map(),
      heard: new Set(),
      hasTls: undefined,
      isReading: false,
      readAt: 0,
      isFull: false,
    })
  }

  /** The event link of an engine is lost: nothing is known of its gateways. */
  linkDown(engine: string): void {
    this.#engines.delete(engine)
  }

  /** Takes an event of the engine named; at once, and never failing. */
  hear(event: Pick<EngineEvent, 'name' | 'subclass' | 'header'>, engineName: string): void {
    const report = event.name === 'CUSTOM' ? readGatewayEvent(event) : undefined
    const engine = this.#engines.get(engineName)
    if (report === undefined || engine === undefined) return
    if (engine.isReading) engine.heard.add(gatewayAtEngine(report.gateway))
    if (report.kind === 'state') this.#track(engine, engineName, report.gateway)
    else if (report.kind === 'gone') this.#forget(engine, engineName, report.gateway)
    else this.#readSoon(engine)
  }

  /** Another connector is gone, which may have stored older states after this one. */
  storeAll(): void {
    for (const { gateways } of this.#engines.values()) {
      for (const [key, { gateway }] of gateways) gateways.set(key, { gateway })
    }
    this.#isDue = true
  }

  async follow(signal: AbortSignal): Promise<void> {
    const unstored = errorLatch(this.#deps.log, 'the states of gateways cannot be stored; it will be tried again')
    while (!signal.aborted) {
      for (const [name, engine] of this.#engines) void this.#readWhenDue(name, engine)
      try {
        if (await this.#writeDue()) unstored.over()
      } catch (problem) {
        unstored.note(problem)
        this.#writeAt = this.#deps.clock.now() + againMs
      }
      await pause(this.#deps.timers, lookMs, signal)
    }
  }

  #readSoon(engine: TrackedEngine): void {
    engine.readAt = Math.min(engine.readAt, this.#deps.clock.now() + newMs)
  }

  async #readWhenDue(name: string, engine: TrackedEngine): Promise<void> {
    const { clock } = this.#deps
    if (engine.isReading || clock.now() < engine.readAt || !isReady(engine.link)) return
    engine.isReading = true
    engine.readAt = Number.POSITIVE_INFINITY
    engine.heard.clear()
    const answer = await engine.link.api(statesLine).catch(() => undefined)
    const listed = answer === undefined ? undefined : readGatewayStates(answer, gatewayProfile)
    if (listed !== undefined) this.#compare(name, engine, listed)
    engine.hasTls = await engine.link.api(profileLine).then(readProfileTls, () => engine.hasTls)
    // A gateway that was added meanwhile may not be in this answer.
    const isAddedTo = engine.readAt !== Number.POSITIVE_INFINITY
    const restedMs = answer === undefined ? againMs : isAddedTo ? restMs : compareMs
    engine.readAt = clock.now() + restedMs
    engine.isReading = false
  }

  /** An event that came since the engine was asked is newer than its answer. */
  #compare(name: string, engine: TrackedEngine, listed: readonly ReportedGateway[]): void {
    const isNewer = (key: string) => !engine.heard.has(key)
    for (const gateway of listed.filter((one) => isNewer(gatewayAtEngine(one)))) this.#track(engine, name, gateway)
    const names = new Set(listed.map(gatewayAtEngine))
    for (const [key, { gateway }] of engine.gateways) {
      if (!names.has(key) && isNewer(key)) this.#forget(engine, name, gateway)
    }
    // States that are unchanged are renewed in time.
    this.#isDue = true
  }

  #track(engine: TrackedEngine, name: string, gateway: ReportedGateway): void {
    const key = gatewayAtEngine(gateway)
    const before = engine.gateways.get(key)
    if (before === undefined && this.size >= maxTracked) {
      if (!engine.isFull)
        this.#deps.log.warn('too many gateways: some have no state', { engine: name, tracked: maxTracked })
      engine.isFull = true
      return
    }
    engine.gone.delete(key)
    engine.gateways.set(key, { ...before, gateway })
    this.#isDue = true
  }

  #forget(engine: TrackedEngine, name: string, gateway: GatewayName): void {
    const key = gatewayAtEngine(gateway)
    engine.gateways.delete(key)
    if (engine.gone.size < maxTracked)
      engine.gone.set(key, { domain: gateway.domain, name: gateway.name, engine: name })
    this.#isDue = true
  }

  async #writeDue(): Promise<boolean> {
    if (!this.#isDue || this.#deps.clock.now() < this.#writeAt) return false
    this.#isDue = false
    try {
      for (const [name, engine] of this.#engines) await this.#write(name, engine)
      return true
    } catch (problem) {
      this.#isDue = true
      throw problem
    }
  }

  async #write(name: string, engine: TrackedEngine): Promise<void> {
    const { store, clock } = this.#deps
    const gone = [...engine.gone]
    await store.remove(gone.map(([, state]) => state))
    for (const [key, state] of gone) if (engine.gone.get(key) === state) engine.gone.delete(key)
    const now = clock.now()
    const due = [...engine.gateways].filter(([, tracked]) => isUnstored(tracked, now)).slice(0, together)
    const states: GatewayState[] = []
    for (const [, { gateway }] of due) {
      if (await this.#deps.domains.exists(gateway.domain)) states.push({ ...gateway, engine: name, observedAt: now })
    }
    await store.put(states)
    for (const [key, { gateway }] of due) {
      const tracked = engine.gateways.get(key)
      if (tracked !== undefined) engine.gateways.set(key, { ...tracked, stored: { as: gateway, at: now } })
    }
    if (due.length === together) this.#isDue = true
  }
}

function isUnstored({ gateway, stored }: Tracked, now: number): boolean {
  if (stored === undefined || now - stored.at >= renewMs) return true
  return stored.as.state !== gateway.state || stored.as.status !== gateway.status
}
