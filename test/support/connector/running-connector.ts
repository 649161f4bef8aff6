import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { type MemoryPorts, memoryPorts } from '../memory/memory-ports.ts'
import { type Metrics, emfMetrics } from '../../../adapters/metrics/emf-metrics.ts'
import { type Connector, startConnector } from '../../../connector/connector.ts'
import type { EngineAddress } from '../../../connector/runtime/engine.ts'
import type { OpenLink } from '../../../connector/assembly/engine-runtime.ts'
import type { SpoolLocation } from '../../../connector/buffer/buffer-disk.ts'
import { openEslSession } from '@callplane/esl'
import type { CommandMessage } from '../../../contracts/messages/command.ts'
import type { CommandOutcome, CommandScope, EngineCommand } from '../../../core/commands/commands.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { type CapturedLog, capturedLog } from '../processes/captured-log.ts'
import { aCommandMessage } from './command-message.ts'
import { type ManualTime, manualTime, settle } from '../processes/manual-time.ts'
import { aDomain } from '../records/records.ts'

/** A whole connector over memory stores, on the event sockets given, whose time is in hand, that of its links too. */
export interface RunningConnector {
  readonly connector: Connector
  readonly ports: MemoryPorts
  readonly time: ManualTime
  readonly log: CapturedLog
  /** The lines of all metrics that were written, unless a test gave a place for them. */
  readonly written: readonly string[]
  /** The highest value of each counter that its health has reported to a reader. */
  readonly peaks: ReadonlyMap<string, number>
  /** Records a command as an endpoint does and queues its message; it may be sent for 20 s, or for `waitMs`. */
  readonly post: (command: EngineCommand, scope?: CommandScope, waitMs?: number) => Promise<CommandMessage>
  /** Every message that was posted. */
  readonly posted: readonly CommandMessage[]
  /** The outcome of a command so far. */
  readonly outcome: (message: CommandMessage) => Promise<CommandOutcome | undefined>
  /** Posts a command and waits for its outcome, moving the time on. */
  readonly run: (command: EngineCommand, scope?: CommandScope) => Promise<CommandOutcome | undefined>
  /** Moves the time on in small steps until something is so; fails when five minutes do not bring it about. */
  readonly until: (isSo: () => boolean | Promise<boolean>) => Promise<void>
  /** Lets what takes no time happen until something is so: the network is waited for, the clock stands still. */
  readonly atOnce: (isSo: () => boolean | Promise<boolean>) => Promise<void>
  readonly stop: () => Promise<void>
}

/** The scope of the domain that most tests work in. */
export const tenant: CommandScope = { domain: 'a.example.com', presenceId: null }

/** Starts a connector that knows the domains given, `a.example.com` and `b.example.com` where none are, and hooks. */
export async function aRunningConnector(
  engines: readonly EngineAddress[],
  given: {
    readonly time?: ManualTime
    readonly domains?: readonly string[]
    readonly hooks?: readonly Hook[]
    readonly random?: () => number
    /** The stores of another connector, where there are two. */
    readonly ports?: MemoryPorts
    readonly connectorId?: string
    readonly metrics?: Metrics
    readonly spool?: SpoolLocation
    /** Makes links instead of sockets. */
    readonly openLink?: OpenLink
  } = {},
): Promise<RunningConnector> {
  const { time = manualTime(), random = () => 0, connectorId = 'connector-1', hooks = [] } = given
  const { domains = ['a.example.com', 'b.example.com'] } = given
  const ports = given.ports ?? memoryPorts({ clock: time.clock, random: systemRandomness })
  for (const name of domains) await ports.domains.create(aDomain({ name }))
  await ports.hooks.create(hooks, hooks.length)
  const bodies: string[] = []
  const posted: CommandMessage[] = []
  const log = capturedLog()
  const written: string[] = []
  const connector = startConnector({
    clock: time.clock,
    timers: time.timers,
    ports,
    receiver: {
      receive: async (_limit, signal) => {
        while (bodies.length === 0 && !signal.aborted) await settle()
        return (signal.aborted ? [] : bodies.splice(0)).map((body) => ({ body, group: body, receipt: body }))
      },
      remove: async () => {},
    },
    openLink: given.openLink ?? ((options) => openEslSession({ ...options, timers: time.timers })),
    engines,
    connectorId,
    version: '1.2.3',
    random,
    log,
    metrics: given.metrics ?? emfMetrics({ clock: time.clock, write: (line) => void written.push(line) }),
    spool: given.spool,
  })

  const outcome = async ({ id }: CommandMessage) => (await ports.commands.read(id))?.outcome
  const post = async (command: EngineCommand, scope = tenant, waitMs = 20_000) => {
    const now = time.clock.now()
    const message = aCommandMessage({ command, scope, createdAt: now, deadlineAt: now + waitMs })
    await ports.commands.create(message)
    posted.push(message)
    bodies.push(JSON.stringify(message))
    return message
  }
  const peaks = new Map<string, number>()
  const look = () => {
    for (const [name, value] of Object.entries(connector.health().counters)) {
      if (value > (peaks.get(name) ?? -1)) peaks.set(name, value)
    }
  }
  const until = async (isSo: () => boolean | Promise<boolean>) => {
    for (let steps = 0; steps < 15_000; steps += 1) {
      look()
      for (let turns = 0; turns < 4; turns += 1) {
        if (await isSo()) return
        await settle()
      }
      await time.advance(20)
    }
    throw new Error('it did not come about')
  }
  const atOnce = async (isSo: () => boolean | Promise<boolean>) => {
    for (let turns = 0; turns < 20_000; turns += 1) {
      look()
      if (await isSo()) return
      await settle()
    }
    throw new Error('it did not come about by itself')
  }
  return {
    connector,
    ports,
    time,
    log,
    written,
    peaks,
    post,
    posted,
    outcome,
    run: async (command, scope) => {
      const message = await post(command, scope)
      await until(async () => (await outcome(message)) !== undefined)
      return outcome(message)
    },
    until,
    atOnce,
    stop: async () => {
      const stopped = connector.stop(0)
      let isStopped = false
      void stopped.finally(() => (isStopped = true))
      await until(() => isStopped)
    },
  }
}
