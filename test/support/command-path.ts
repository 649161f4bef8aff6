/** The whole way of a command, over a played queue and clock and real sockets: endpoint, record, queue, connector, engine. */
import { memoryCommandStore } from '../../adapters/memory/memory-command-store.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { queuedCallEngine } from '../../adapters/sqs/queued-call-engine.ts'
import { lostClaims } from '../../connector/commands/lost-claims.ts'
import { type Connector, startConnector } from '../../connector/connector.ts'
import { openEslSession } from '../../connector/esl/session.ts'
import { pause } from '../../connector/timers.ts'
import type { CommandOutcome, CommandRecord } from '../../core/commands.ts'
import type { CallEngine, CommandStore, TakenMessage } from '../../core/ports.ts'
import { type Api, anApi } from './api.ts'
import { type CapturedLog, capturedLog } from './captured-log.ts'
import { type CommandQueue, commandQueue } from './command-queue.ts'
import { type CountingEngine, type EngineDoor, countingEngine } from './counting-engine.ts'
import { type ManualTime, manualTime } from './manual-time.ts'

/** A call to a port, told before and after it. Whoever is told may kill. */
export type Tell = (step: string) => void

/** A connector that can be killed. */
export interface MortalConnector {
  readonly id: string
  readonly connector: Connector
  readonly door: EngineDoor
  /** Nothing that it does or asks for from now on happens, as after SIGKILL. */
  kill(): void
}

/** What a test has in hand. */
export interface CommandPath {
  readonly time: ManualTime
  readonly queue: CommandQueue
  readonly engine: CountingEngine
  readonly store: CommandStore
  readonly log: CapturedLog
  /** The endpoints, whose engine is the other end of all this. */
  readonly api: Api
  /** What the endpoints give commands to. */
  readonly calls: CallEngine
  /** Starts a connector, whose clock may be off by `skewMs`, and waits until it is connected. */
  connect(tell?: Tell, skewMs?: number): Promise<MortalConnector>
  /** Every command that was recorded, in order. */
  records(): CommandRecord[]
  outcome(id: string): CommandOutcome | undefined
  /** Moves the time on in steps until something is so; fails when three minutes do not bring it about. */
  until(isSo: () => boolean, stepMs?: number): Promise<void>
  /** Moves the time on until the work is over. */
  finish<T>(work: Promise<T>): Promise<T>
  /** Ends what a dead connector left open, as a living one does. */
  bury(dead: MortalConnector): Promise<void>
  readonly close: () => Promise<void>
}

/** A path with the domains `a.example.com` and `b.example.com`, and no connector. */
export async function aCommandPath(): Promise<CommandPath> {
  const time = manualTime()
  const api = anApi()
  for (const domain of ['a.example.com', 'b.example.com']) {
    for (const login of ['1000', '1001']) await api.account({ domain, login, role: 'admin' })
  }
  const store = memoryCommandStore({ state: api.ports.state, clock: time.clock, random: systemRandomness })
  const queue = commandQueue(time)
  const engine = countingEngine()
  const log = capturedLog()
  const sleep = async (ms: number, signal: AbortSignal) => {
    await pause(time.timers, ms, signal)
    return undefined
  }
  const calls = queuedCallEngine({
    commands: store,
    enqueue: (record) => queue.enqueue(record),
    clock: time.clock,
    random: systemRandomness,
    sleep,
  })
  const connectors: MortalConnector[] = []

  const until: CommandPath['until'] = async (isSo, stepMs = 50) => {
    for (let passed = 0; passed < 180_000; passed += stepMs) {
      await time.advance(0)
      if (isSo()) return
      await time.advance(stepMs)
    }
    throw new Error('it did not come about')
  }

  return {
    time,
    queue,
    engine,
    store,
    log,
    api: api.with({ engine: { ...api.ports.engine, ...calls } }),
    calls,
    until,
    connect: async (tell = () => {}, skewMs = 0) => {
      const id = `connector-${connectors.length + 1}`
      const made = await aMortal({ id, api, store, queue, engine, time, log, tell, skewMs })
      connectors.push(made)
      await until(() => made.connector.health().status === 'OK')
      return made
    },
    records: () => [...api.ports.state.commands.values()],
    outcome: (id) => api.ports.state.commands.get(id)?.outcome,
    finish: async (work) => {
      let isOver = false
      const over = work.finally(() => (isOver = true))
      over.catch(() => {})
      await until(() => isOver)
      return over
    },
    bury: async ({ id }) => {
      await time.advance(31_000)
      await lostClaims({ ...time, store, log }).end(id)
    },
    close: async () => {
      for (const each of connectors) each.kill()
      await engine.close()
    },
  }
}

interface Birth extends Pick<CommandPath, 'store' | 'queue' | 'engine' | 'time' | 'log' | 'api'> {
  readonly id: string
  readonly tell: Tell
  readonly skewMs: number
}

async function aMortal({ id, api, store, queue, engine, time, log, tell, skewMs }: Birth): Promise<MortalConnector> {
  const door = await engine.open()
  const life = { isOver: false }
  const end = new AbortController()

  /** A call that the dead do not make, and whose answer they do not get. */
  const lived = <Given extends unknown[], Result>(name: string, call: (...given: Given) => Promise<Result>) => {
    return async (...given: Given): Promise<Result> => {
      const never = new Promise<Result>(() => {})
      if (life.isOver) return never
      tell(`before ${name}`)
      if (life.isOver) return never
      const result = await call(...given)
      if (life.isOver) return never
      tell(`after ${name}`)
      return life.isOver ? never : result
    }
  }

  const connector = startConnector({
    clock: { now: () => time.clock.now() + skewMs },
    timers: {
      after: (ms, run) => time.timers.after(ms, () => (life.isOver ? undefined : run())),
    },
    ports: {
      ...api.ports,
      commands: {
        ...store,
        claim: lived('claim', (...given: Parameters<CommandStore['claim']>) => store.claim(...given)),
        complete: lived('complete', (...given: Parameters<CommandStore['complete']>) => store.complete(...given)),
      },
    },
    receiver: {
      receive: lived('receive', (limit: number, signal: AbortSignal) =>
        queue.receiver.receive(limit, AbortSignal.any([signal, end.signal])),
      ),
      remove: lived('remove', (message: TakenMessage) => queue.receiver.remove(message)),
    },
    openLink: (options) =>
      openEslSession({
        ...options,
        timers: {
          now: () => time.timers.now(),
          after: (ms, run) => time.timers.after(ms, () => (life.isOver ? undefined : run())),
        },
      }),
    engines: [{ host: '127.0.0.1', port: door.port, password: 'ClueCon' }],
    connectorId: id,
    version: '1.2.3',
    random: () => 0,
    log,
  })
  return {
    id,
    connector,
    door,
    kill: () => {
      life.isOver = true
      end.abort()
      void door.shut()
    },
  }
}
