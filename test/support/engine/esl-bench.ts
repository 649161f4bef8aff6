import { afterEach } from 'vitest'
import { type EslEvent, type EslSession, type EslSessionOptions, type EslState, openEslSession } from '@callplane/esl'
import { manualTime, type ManualTime } from '../processes/manual-time.ts'
import { type ScriptedEslServer, type ScriptedPeer, startScriptedEslServer } from './scripted-server.ts'

/** A session and its reports. */
export interface SessionUnderTest {
  readonly link: EslSession
  readonly time: ManualTime
  readonly states: EslState[]
  readonly events: EslEvent[]
  /** Waits until something is so. */
  readonly until: (isSo: () => boolean) => Promise<void>
  readonly ready: () => Promise<void>
  readonly isDown: () => Promise<Extract<EslState, { kind: 'down' }>>
  /** Closes the session while time goes on. */
  readonly close: () => Promise<void>
}

/** A place for scripted servers and sessions, cleared away after each test of the file that asks for it. */
export interface EslBench {
  /** Starts a server whose scripts must all run to their end. */
  readonly serving: (...scripts: ((peer: ScriptedPeer) => Promise<void> | void)[]) => Promise<ScriptedEslServer>
  /** Opens a session to the newest server, with the password of the scripts and without any chance in it. */
  readonly session: (given?: Partial<EslSessionOptions>) => SessionUnderTest
}

/** Makes a bench for the tests of one file. */
export function eslBench(): EslBench {
  const open: { close(): Promise<void> }[] = []
  let port = 0
  afterEach(async () => {
    for (const each of open.splice(0).toReversed()) await each.close()
  })
  return {
    async serving(...scripts) {
      const server = await startScriptedEslServer(...scripts)
      open.push(server)
      port = server.port
      return server
    },
    session(given = {}) {
      const opened = watched({ port, ...given })
      open.push(opened)
      return opened
    },
  }
}

/** The error that a promise rejects with. */
export async function caught(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise
  } catch (error) {
    return error
  }
}

function watched(given: Partial<EslSessionOptions>): SessionUnderTest {
  const time = manualTime()
  const states: EslState[] = []
  const events: EslEvent[] = []
  const link = openEslSession({
    host: '127.0.0.1',
    port: 0,
    password: 'ClueCon',
    name: 'test',
    subscribe: [],
    timers: time.timers,
    random: () => 0,
    ...given,
    onEvent: (event) => {
      events.push(event)
      given.onEvent?.(event)
    },
    onState: (state) => {
      states.push(state)
      given.onState?.(state)
    },
  })
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    link,
    time,
    states,
    events,
    until,
    ready: () => until(() => link.state.kind === 'ready'),
    async isDown() {
      await until(() => link.state.kind === 'down')
      const { state } = link
      if (state.kind !== 'down') throw new Error('the session is not down any more')
      return state
    },
    async close() {
      const closed = link.close()
      await time.advance(1_000)
      await closed
    },
  }
}
