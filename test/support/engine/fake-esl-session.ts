import {
  EslCommandFateUnknown,
  EslCommandNotSent,
  EslConnectionLost,
  type EslSession,
  type EslSessionOptions,
  type EslState,
} from '@callplane/esl'
import type { OpenLink } from '../../../connector/assembly/engine-runtime.ts'
import { type EventGiven, aCoreUuid, anEngineEvent } from './engine-event.ts'

/** A link to an engine that a test plays. It is down until `up`. */
export interface FakeEslSession extends EslSession {
  readonly options: EslSessionOptions
  /** Every command of `api`, in order. */
  readonly asked: string[]
  /** Every command of `bgapi` that was written, in order. */
  readonly jobs: { readonly line: string; readonly id: string }[]
  /** The words of the newest subscription. */
  words: readonly string[]
  /** The engine's answer to `api`; `-ERR` to everything until replaced. */
  answer: (command: string) => string | Promise<string>
  /** Decides what happens when a job is written; it is accepted until replaced. */
  onJob: (line: string, id: string) => void | Promise<void>
  up(): void
  /** Loses the connection. */
  down(): void
  emit(event: EventGiven): void
  /** Ends a job as the engine does, by an event. */
  finishJob(id: string, reply: string): void
}

/** A session that reaches no engine but the test. */
export function fakeEslSession(given: Partial<EslSessionOptions> = {}): FakeEslSession {
  const options: EslSessionOptions = {
    host: '127.0.0.1',
    port: 8021,
    password: 'ClueCon',
    name: 'commands',
    subscribe: [],
    onEvent: () => {},
    onState: () => {},
    ...given,
  }
  let state: EslState = { kind: 'connecting' }
  const tell = (next: EslState) => {
    state = next
    options.onState(next)
  }
  const requireReady = () => {
    if (state.kind !== 'ready') throw new EslCommandNotSent('the link is down')
  }
  const session: FakeEslSession = {
    options,
    asked: [],
    jobs: [],
    words: options.subscribe,
    answer: () => '-ERR command not found\n',
    onJob: () => {},
    heardAt: 0,
    counts: { connections: 1, bytes: 0, events: 0, unreadableEvents: 0, lateReplies: 0, strayReplies: 0 },
    get state() {
      return state
    },
    api: async (command) => {
      requireReady()
      session.asked.push(command)
      return session.answer(command)
    },
    bgapi: async (line, id) => {
      requireReady()
      session.jobs.push({ line, id })
      await session.onJob(line, id)
    },
    resubscribe: async (words) => {
      session.words = words
    },
    close: async () => tell(lost('stopped')),
    up: () => tell({ kind: 'ready', coreUuid: aCoreUuid }),
    down: () => tell(lost('closed')),
    emit: (event) => options.onEvent(anEngineEvent(event)),
    finishJob: (id, reply) => session.emit({ name: 'BACKGROUND_JOB', headers: { 'Job-UUID': id }, body: reply }),
  }
  return session
}

/** A command that was written and whose reply never came. */
export function fateUnknown(): EslCommandFateUnknown {
  return new EslCommandFateUnknown('the connection ended')
}

/** Opens fake links and keeps them under their names. */
export function fakeLinks(): { readonly open: OpenLink; readonly link: (name: string) => FakeEslSession } {
  const links = new Map<string, FakeEslSession>()
  return {
    open: (options) => {
      const session = fakeEslSession(options)
      links.set(options.name, session)
      return session
    },
    link: (name) => {
      const session = links.get(name)
      if (session === undefined) throw new Error(`no link ${name} was opened`)
      return session
    },
  }
}

function lost(reason: 'closed' | 'stopped'): EslState {
  const error = new EslConnectionLost(reason, 'the connection has ended')
  return { kind: 'down', reason, retryInMs: reason === 'stopped' ? Number.POSITIVE_INFINITY : 250, error }
}
