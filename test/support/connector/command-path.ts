/**
 * The whole way of a command, over a played queue and clock and real sockets: endpoint, record, queue, connector,
 * engine.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { memoryCommandStore } from '../memory/memory-command-store.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { queuedCallEngine } from '../../../adapters/sqs/queued-call-engine.ts'
import { lostClaims } from '../../../connector/commands/lost-claims.ts'
import { type Connector, startConnector } from '../../../connector/connector.ts'
import { openEslSession } from '@callplane/esl'
import { pause } from '../../../core/concurrency/timers.ts'
import type { CommandOutcome, CommandRecord } from '../../../core/commands/commands.ts'
import { emfMetrics } from '../../../adapters/metrics/emf-metrics.ts'
import type { CallEngine } from '../../../core/commands/call-engine.ts'
import type { CommandStore, TakenMessage } from '../../../core/commands/command-store.ts'
import { type Api, anApi } from '../platform/api.ts'
import { type CapturedLog, capturedLog } from '../processes/captured-log.ts'
import { type CommandQueue, commandQueue } from './command-queue.ts'
import { type PlacingEngine, startPlacingEngine } from '../engine/placing-engine.ts'
import type { ScriptedDoor } from '../engine/scripted-engine.ts'
import { type ManualTime, manualTime } from '../processes/manual-time.ts'

/** A call to a port. Watchers are called before and after it, and may kill. */
export type Tell = (step: string) => void

/** A connector that can be killed. */
export interface MortalConnector {
  readonly id: string
  readonly connector: Connector
  readonly door: ScriptedDoor
  readonly isDead: boolean
  /** Nothing that it does or asks for from now on happens, as after SIGKILL. */
  kill(): void
}

/** The commands of one request to the platform, and the outcome of the last that its caller got. */
export interface AskedCommands {
  readonly ids: string[]
  /** Absent while it is open; `outcome` is absent where none came in time. */
  reported?: { readonly outcome: CommandOutcome | undefined }
}

/** The most that there was of something at any moment at which it was looked at. */
export type Peaks = Map<string, number>

/** The parts that a test works with. */
export interface CommandPath {
  readonly time: ManualTime
  readonly queue: CommandQueue
  readonly engine: PlacingEngine
  readonly store: CommandStore
  readonly log: CapturedLog
  /** The endpoints, whose engine is the other end of all this. */
  readonly api: Api
  /** Takes the commands of the endpoints. */
  readonly calls: CallEngine
  /** Everything that was asked of the engine so far, in order. */
  readonly asked: readonly AskedCommands[]
  /** The ids of the commands that something gives, in order. */
  idsOf<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly ids: readonly string[] }>
  /** Every connector so far, the dead ones as well. */
  readonly connectors: readonly MortalConnector[]
  /**
   * The most that the connectors have held, under the names of their health reports, and how many links the engine had.
   */
  readonly peaks: Peaks
  /** The lines of all metrics that were written. */
  readonly metrics: readonly string[]
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
  endFor(dead: MortalConnector): Promise<void>
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
  const engine = await startPlacingEngine()
  const log = capturedLog()
  const metrics: string[] = []
  const sleep = async (ms: number, signal: AbortSignal) => {
    await pause(time.timers, ms, signal)
    return undefined
  }
  const asking = new AsyncLocalStorage<{ readonly ids: string[] }>()
  const asked: AskedCommands[] = []
  const queued = queuedCallEngine({
    commands: {
      ...store,
      create: async (made) => {
        asking.getStore()?.ids.push(made.id)
        return store.create(made)
      },
    },
    enqueue: (record) => queue.enqueue(record),
    clock: time.clock,
    random: systemRandomness,
    sleep,
  })
  const calls: CallEngine = {
    ...queued,
    run: async (...given) => {
      const around = asking.getStore()
      const one: AskedCommands = { ids: [] }
      asked.push(one)
      try {
        const outcome = await asking.run(one, () => queued.run(...given))
        one.reported = { outcome }
        return outcome
      } finally {
        around?.ids.push(...one.ids)
      }
    },
  }
  const connectors: MortalConnector[] = []
  const peaks: Peaks = new Map()
  const look = () => {
    const living = connectors.filter(({ isDead }) => !isDead)
    note(peaks, 'links', Math.max(0, ...living.map(({ door }) => door.links)))
    for (const { connector } of living) {
      for (const [name, value] of Object.entries(connector.health().counters)) note(peaks, name, value)
    }
  }

  const until: CommandPath['until'] = async (isSo, stepMs = 50) => {
    for (let passed = 0; passed < 180_000; passed += stepMs) {
      await time.advance(0)
      look()
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
    asked,
    idsOf: async (work) => {
      const one = { ids: new Array<string>() }
      return { result: await asking.run(one, work), ids: one.ids }
    },
    connectors,
    peaks,
    metrics,
    until,
    connect: async (tell = () => {}, skewMs = 0) => {
      const id = `connector-${connectors.length + 1}`
      const made = await aMortal({ id, api, store, queue, engine, time, log, metrics, tell, skewMs })
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
    endFor: async ({ id }) => {
      await time.advance(31_000)
      await lostClaims({ ...time, store, log }).end(id)
    },
    close: async () => {
      for (const each of connectors) each.kill()
      await engine.close()
    },
  }
}

/** By this name every connector knows the engine, whatever door it has to it. */
const engineAddress = { host: '127.0.0.1', port: 8_021, password: 'ClueCon' }

function note(peaks: Peaks, name: string, value: number): void {
  peaks.set(name, Math.max(value, peaks.get(name) ?? 0))
}

/** The same ports for somebody who may die: then no call is made any more, and none is answered. */
function mortalPorts<Ports extends object>(ports: Ports, life: { readonly isOver: boolean }): Ports {
  const never = new Promise<never>(() => {})
  const gated = (call: (...given: unknown[]) => unknown) => {
    return (...given: unknown[]) => {
      if (life.isOver) return never
      const result = call(...given)
      return result instanceof Promise ? result.then((value: unknown) => (life.isOver ? never : value)) : result
    }
  }
  const wrapped = Object.entries(ports).map(([name, port]: [string, object]) => {
    const proxy = new Proxy(port, {
      get(target, method, receiver) {
        const member: unknown = Reflect.get(target, method, receiver)
        return typeof member === 'function' ? gated((...given) => Reflect.apply(member, target, given)) : member
      },
    })
    return [name, proxy]
  })
  return Object.fromEntries(wrapped) as Ports
}

interface Birth extends Pick<CommandPath, 'store' | 'queue' | 'engine' | 'time' | 'log' | 'api'> {
  readonly metrics: string[]
  readonly id: string
  readonly tell: Tell
  readonly skewMs: number
}

async function aMortal(birth: Birth): Promise<MortalConnector> {
  const { id, api, store, queue, engine, time, log, metrics, tell, skewMs } = birth
  const door = await engine.openDoor()
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
      ...mortalPorts(api.ports, life),
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
        port: door.port,
        timers: {
          now: () => time.timers.now(),
          after: (ms, run) => time.timers.after(ms, () => (life.isOver ? undefined : run())),
        },
      }),
    engines: [engineAddress],
    connectorId: id,
    version: '1.2.3',
    random: () => 0,
    log,
    metrics: emfMetrics({ clock: time.clock, write: (line) => void metrics.push(line) }),
  })
  return {
    id,
    connector,
    door,
    get isDead() {
      return life.isOver
    },
    kill: () => {
      life.isOver = true
      end.abort()
      void door.shut()
    },
  }
}
