import type { Log } from '../adapters/log/logger.ts'
import { type ChannelList, channelList } from './calls/channel-list.ts'
import type { ChannelRegistry } from './calls/channel-registry.ts'
import type { DomainNames } from './calls/domain-names.ts'
import { type PendingJobs, pendingJobs } from './commands/pending-jobs.ts'
import type { Engine, EngineEvent } from './engine.ts'
import type { EngineChange } from './events/engine-events.ts'
import type { EslSession, EslSessionOptions, EslState } from './esl/session.ts'
import type { Time } from './timers.ts'

/** Where an engine's event socket is. */
export interface EngineAddress {
  readonly host: string
  readonly port: number
  readonly password: string
}

/** Makes a link; `openEslSession` in production. */
export type OpenLink = (options: EslSessionOptions) => EslSession

/** One engine and what belongs to it alone. */
export interface EngineWorks {
  readonly engine: Engine
  readonly jobs: PendingJobs
  readonly channels: ChannelList
}

/** What the works of an engine are made from. */
export interface WorksParts extends Time {
  readonly address: EngineAddress
  readonly openLink: OpenLink
  readonly registry: ChannelRegistry
  readonly domains: DomainNames
  readonly random: () => number
  readonly log: Log
  /** What the event link listens to at first. */
  readonly words: readonly string[]
  /** Told of every event of the event link; must not throw. */
  readonly onEvent: (event: EngineEvent) => void
  /** Told when the event link came up or was lost; not when it was let go of, which is no news of the engine. */
  readonly onEngine: (engine: Pick<Engine, 'name' | 'coreUuid'>, kind: EngineChange) => void
}

/** Opens both links of an engine. Answers of jobs come on the link that they were given on. */
export function engineWorks(parts: WorksParts): EngineWorks {
  const { address, clock, timers, registry, domains } = parts
  const name = `${address.host}:${address.port}`
  const jobs = pendingJobs(timers)
  const core = { uuid: '' }
  const open = linkOpener(parts, name, core)

  const commands = open({
    name: 'commands',
    subscribe: ['BACKGROUND_JOB'],
    onEvent: (event) => {
      if (event.name === 'BACKGROUND_JOB') jobs.accept(event)
    },
    onState: ({ kind }) => {
      if (kind === 'down') jobs.loseAll()
    },
  })

  let wasReady = false
  const events = open({
    name: 'events',
    subscribe: parts.words,
    onEvent: parts.onEvent,
    onState: (state) => {
      if (state.kind === 'ready') parts.onEngine({ name, coreUuid: core.uuid }, 'engine_connected')
      if (state.kind === 'down' && wasReady) {
        registry.doubt(name)
        if (state.reason !== 'stopped') parts.onEngine({ name, coreUuid: core.uuid }, 'engine_disconnected')
      }
      wasReady = state.kind === 'ready'
    },
  })

  return {
    engine: {
      name,
      commands,
      events,
      get coreUuid() {
        return core.uuid
      },
    },
    jobs,
    channels: channelList({ link: commands, registry, domains, clock }),
  }
}

type Role = Pick<EslSessionOptions, 'name' | 'subscribe' | 'onEvent' | 'onState'>

/** Opens links of one engine that log what becomes of them and note which process of the engine they reached. */
function linkOpener({ address, openLink, random, log }: WorksParts, engine: string, core: { uuid: string }) {
  return (role: Role): EslSession =>
    openLink({
      ...address,
      ...role,
      random,
      onState: (state) => {
        logState(log, { engine, link: role.name }, state)
        if (state.kind === 'ready' && state.coreUuid !== undefined) core.uuid = state.coreUuid
        role.onState(state)
      },
      onUnreadable: ({ bytes }) => log.warn('an event could not be read', { engine, link: role.name, bytes }),
    })
}

function logState(log: Log, keys: { engine: string; link: string }, state: EslState): void {
  if (state.kind === 'ready') log.info('an engine link is up', keys)
  if (state.kind !== 'down' || state.reason === 'stopped') return
  log.warn('an engine link is down', { ...keys, reason: state.reason, retryInMs: state.retryInMs })
}
