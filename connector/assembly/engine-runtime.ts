import type { EngineClocks } from '../runtime/engine-clocks.ts'
import type { Log } from '../../adapters/log/logger.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { DomainNames } from '../calls/domain-names.ts'
import { type EngineReading, engineReading } from '../calls/engine-reading.ts'
import { type HeldCalls, heldCalls } from '../calls/held-calls.ts'
import type { GatewayAligner } from '../commands/apply-gateway.ts'
import { type PendingJobs, pendingJobs } from '../commands/pending-jobs.ts'
import {
  type Engine,
  type EngineAddress,
  type EngineEvent,
  type LinkRole,
  engineName,
  isHealthy,
} from '../runtime/engine.ts'
import type { EslDownReason, EslSession, EslSessionOptions, EslState } from '@callplane/esl'
import type { EngineChange } from '../events/engine-events.ts'
import { compareGateways, flushDirectory } from '../recovery/align-engine.ts'
import type { Time } from '../../core/concurrency/timers.ts'

/** Makes a link; `openEslSession` in production. */
export type OpenLink = (options: EslSessionOptions) => EslSession

export interface EngineRuntimeDeps extends Time {
  readonly address: EngineAddress
  readonly openLink: OpenLink
  /** Whether the engine is only observed: it keeps no answers of the platform, so that nothing is flushed. */
  readonly isObserving?: boolean | undefined
  readonly registry: ChannelRegistry
  readonly domains: DomainNames
  readonly clocks: Pick<EngineClocks, 'corrected'>
  readonly aligner: Pick<GatewayAligner, 'applyAll'>
  readonly random: () => number
  readonly log: Log
  readonly words: readonly string[]
}

/** The callbacks for what an engine's links report. None of them may throw. */
export interface EngineListener {
  event(event: EngineEvent, engine: string): void
  /** What the event link waits for before it reads on, at most some seconds; `undefined` when nothing has to be. */
  room(): Promise<void> | undefined
  /** An event of the event link could not be read. */
  unreadable(engine: string): void
  commandLinkUp(engine: Engine): void
  /** The event link came up or was lost; not told when it was closed on purpose: that says nothing about the engine. */
  changed(engine: Engine, kind: EngineChange): void
}

/** One engine and what belongs to it alone. Answers of jobs come on the link that they were given on. */
export class EngineRuntime {
  readonly engine: Engine
  readonly jobs: PendingJobs
  readonly reading: EngineReading
  readonly held: HeldCalls
  readonly #deps: EngineRuntimeDeps
  readonly #listeners: EngineListener[] = []
  #wasCommanding = false
  #wasReady = false

  /** Opens both links of the engine. */
  constructor(deps: EngineRuntimeDeps) {
    const { registry, clock, timers, clocks } = deps
    const name = engineName(deps.address)
    const reported: LinkReports = { coreUuid: '', reasons: {} }
    this.#deps = deps
    this.jobs = pendingJobs(timers)
    this.held = heldCalls(registry, name, clock)
    const open = linkOpener(deps, name, reported, () => this.#tell((listener) => listener.unreadable(name)))
    const commands = open({
      name: 'commands',
      subscribe: ['BACKGROUND_JOB'],
      onEvent: (event) => {
        if (event.name === 'BACKGROUND_JOB') this.jobs.accept(event)
      },
      onState: (state) => this.#commandsChanged(state),
    })
    const events = open({
      name: 'events',
      subscribe: deps.words,
      onEvent: (event) => this.#hear(clocks.corrected(event, name)),
      room: () => this.#room(),
      onState: (state) => this.#eventsChanged(state),
    })
    this.reading = engineReading({
      ...deps,
      engine: name,
      link: commands,
      onRead: (channels) => this.held.wasRead(channels),
    })
    this.engine = engineOf({ name, commands, events }, reported)
  }

  /** Tells another listener. To be called before the event loop turns: no link is up before. */
  listen(listener: EngineListener): void {
    this.#listeners.push(listener)
  }

  #tell(tell: (listener: EngineListener) => void): void {
    for (const listener of this.#listeners) tell(listener)
  }

  #hear(event: EngineEvent): void {
    for (const listener of this.#listeners) listener.event(event, this.engine.name)
  }

  #room(): Promise<void> | undefined {
    const [first] = this.#listeners.flatMap((listener) => listener.room() ?? [])
    return first
  }

  #commandsChanged({ kind }: EslState): void {
    const { name, commands } = this.engine
    // A failed attempt to connect loses no events.
    if (kind === 'down' && this.#wasCommanding) {
      this.jobs.loseAll()
      this.held.commandsLost()
    }
    this.#wasCommanding = kind === 'ready'
    if (kind !== 'ready') return
    this.#readWhole()
    if (this.#deps.isObserving !== true) {
      const deps = { ...this.#deps, link: commands, log: this.#deps.log.with({ engine: name }) }
      void flushDirectory(deps).then(() => compareGateways(deps))
    }
    this.#tell((listener) => listener.commandLinkUp(this.engine))
  }

  #eventsChanged(state: EslState): void {
    const { engine, held } = this
    if (state.kind === 'ready') {
      held.heard()
      this.#readWhole()
      this.#tell((listener) => listener.changed(engine, 'engine_connected'))
    }
    if (state.kind === 'down' && this.#wasReady) {
      held.eventsLost()
      this.#deps.registry.markUnconfirmed(engine.name)
      if (state.reason !== 'stopped') this.#tell((listener) => listener.changed(engine, 'engine_disconnected'))
    }
    this.#wasReady = state.kind === 'ready'
  }

  /** Reads all channels once both links are up; until a reading succeeds the engine may hold unknown ones. */
  #readWhole(): void {
    if (isHealthy(this.engine)) this.reading.current(null).catch(() => {})
  }
}

function engineOf(links: Pick<Engine, 'name' | 'commands' | 'events'>, reported: LinkReports): Engine {
  return {
    ...links,
    get coreUuid() {
      return reported.coreUuid
    },
    reasons: reported.reasons,
  }
}

interface LinkReports {
  coreUuid: string
  reasons: Partial<Record<LinkRole, EslDownReason>>
}

type Role = Pick<EslSessionOptions, 'subscribe' | 'onEvent' | 'room' | 'onState'> & { readonly name: LinkRole }

function linkOpener(
  { address, openLink, random, log }: EngineRuntimeDeps,
  engine: string,
  reported: LinkReports,
  onUnreadable: () => void,
) {
  return (role: Role): EslSession =>
    openLink({
      ...address,
      ...role,
      random,
      onState: (state) => {
        logState(log, { engine, link: role.name }, state, reported)
        if (state.kind === 'ready') delete reported.reasons[role.name]
        if (state.kind === 'ready' && state.coreUuid !== undefined) reported.coreUuid = state.coreUuid
        if (state.kind === 'down') reported.reasons[role.name] = state.reason
        role.onState(state)
      },
      onUnreadable: ({ bytes }) => {
        log.warn('an event could not be read', { engine, link: role.name, bytes })
        if (role.name === 'events') onUnreadable()
      },
    })
}

/** Nothing but a person can help against these: the password or the engine's access list has to be changed. */
const refused: ReadonlySet<EslDownReason> = new Set(['auth-refused', 'access-rejected'])

/** A refusal is an error once, for both links together, until a link comes up again; every other loss is a warning. */
function logState(log: Log, keys: { engine: string; link: string }, state: EslState, reported: LinkReports): void {
  if (state.kind === 'ready') log.info('an engine link is up', keys)
  if (state.kind !== 'down' || state.reason === 'stopped') return
  const isFirst = !Object.values(reported.reasons).some((reason) => refused.has(reason))
  const what = { ...keys, reason: state.reason, retryInMs: state.retryInMs }
  if (refused.has(state.reason) && isFirst) log.error('an engine refuses the connector', undefined, what)
  else log.warn('an engine link is down', what)
}
