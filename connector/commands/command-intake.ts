import type { Log } from '../../adapters/log/logger.ts'
import { commandMessageVersion } from '../../contracts/messages/command.ts'
import type { CommandReceiver, TakenMessage } from '../../core/commands/command-store.ts'
import { retry } from '../../core/concurrency/retry.ts'
import { type Time, type Timers, pause } from '../../core/concurrency/timers.ts'
import type { CommandRunner } from './command-runner.ts'
import { freshReports, reliedOnMs } from '../../core/connectors/connectors.ts'
import type { ConnectorStatusStore } from '../../core/connectors/connector-status-store.ts'
import { type Engine, isHealthy, isReady } from '../runtime/engine.ts'

/** SQS gives at most ten messages a call. */
const batchSize = 10

/** Tries to remove a message; one that stays is taken again and found to be claimed. */
const removeAttempts = 3

const lookMs = 100

const watchMs = 500

/** Takes commands off the queue and has them run. */
export interface CommandIntake {
  /** Takes messages until aborted; resolves when those in hand have been run. Never rejects. */
  follow(signal: AbortSignal): Promise<void>
}

export interface IntakeDeps {
  readonly receiver: CommandReceiver
  readonly runner: Pick<CommandRunner, 'run'>
  readonly fitness: () => Promise<Fitness>
  /**
   * Messages in hand at a time; what is not in hand stays in the queue, where another connector can take it. More than
   * may wait for places, or calls that wait for theirs would block the hang-ups after them.
   */
  readonly maxInHand: number
  readonly timers: Timers
  readonly random: () => number
  readonly log: Log
}

/**
 * Messages of one group are run one after another in the order taken, those of different groups side by side. A
 * message is removed once its command was written or needs no writing, not when its outcome comes. While other
 * connectors can do what this one would have to refuse, none is taken, and one that comes is left to them; so is a
 * message of a later version, which a connector of the next release reads.
 */
export function commandIntake(parts: IntakeDeps): CommandIntake {
  const { receiver, runner, fitness, maxInHand, timers, random, log } = parts
  const groups = new Map<string, Promise<boolean>>()
  const inHand = new Set<Promise<boolean>>()

  const remove = async (message: TakenMessage) => {
    try {
      await retry(() => receiver.remove(message), { timers, random }, { attempts: removeAttempts })
    } catch (problem) {
      log.warn('a command message could not be removed', { reason: nameOf(problem) })
    }
  }

  /** The fate of a message in hand is decided once a link is back or known to be lost, which takes 2 s at most. */
  const settledFitness = async (): Promise<Fitness> => {
    for (let now = await fitness(); ; now = await fitness()) {
      if (now !== 'waiting') return now
      await pause(timers, lookMs)
    }
  }

  /** Answers whether the next message of the group may be run: after one that is left, the others are left too. */
  const handle = async (message: TakenMessage): Promise<boolean> => {
    try {
      if ((await settledFitness()) === 'unfit') return false
      if (isOfLaterVersion(message.body)) {
        log.warn('a command of a later version is left to a connector that reads it', { group: message.group })
        return false
      }
      await runner.run(message.body)
    } catch (problem) {
      log.error('a command message was left in the queue', problem)
      return false
    }
    await remove(message)
    return true
  }

  const take = (message: TakenMessage) => {
    const before = groups.get(message.group) ?? Promise.resolve(true)
    const work = before.then((mayRun) => (mayRun ? handle(message) : false))
    const tracked = work.finally(() => {
      inHand.delete(tracked)
      if (groups.get(message.group) === tracked) groups.delete(message.group)
    })
    groups.set(message.group, tracked)
    inHand.add(tracked)
  }

  /** Notes the loss of an engine when it happens, so that the next command does not wait for nothing. */
  const watch = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      await fitness()
      await pause(timers, watchMs, signal)
    }
  }

  const takeSome = async (signal: AbortSignal) => {
    const now = await fitness()
    if (now === 'waiting' || now === 'unfit') await pause(timers, lookMs, signal)
    else if (inHand.size >= maxInHand) await Promise.race(inHand)
    else for (const message of await receiver.receive(batchSize, signal)) take(message)
  }

  return {
    follow: async (signal) => {
      void watch(signal)
      const onFailure = (problem: unknown, failures: number) =>
        log.warn('the command queue cannot be read', { reason: nameOf(problem), failures })
      while (!signal.aborted) await retry(() => takeSome(signal), { timers, random }, { signal, onFailure })
      await Promise.all(inHand)
    },
  }
}

function nameOf(problem: unknown): string {
  return problem instanceof Error ? problem.name : typeof problem
}

function isOfLaterVersion(body: string): boolean {
  try {
    const message: unknown = JSON.parse(body)
    if (typeof message !== 'object' || message === null || !('version' in message)) return false
    return Number.isInteger(message.version) && Number(message.version) > commandMessageVersion
  } catch {
    return false
  }
}

/** A link that was lost for a moment comes back within this; so does one that is opened at the start. */
const graceMs = 2_000

/** How long reports of the other connectors count as current. */
const keptMs = 1_000

/**
 * Whether commands are to be taken: `fit` while an engine can be given all of them, or, where no other connector could
 * do more, those that need no events of it; `waiting` for the short time in which a
 * link is expected back; `unfit` when other connectors have an engine, and this one would only refuse what they can
 * do; `alone` when no connector has one, so that the caller is refused at once.
 */
export type Fitness = 'fit' | 'waiting' | 'unfit' | 'alone'

export interface FitnessDeps extends Pick<Time, 'clock'> {
  readonly engines: readonly {
    readonly commands: Pick<Engine['commands'], 'state'>
    readonly events: Pick<Engine['events'], 'state'>
  }[]
  readonly store: Pick<ConnectorStatusStore, 'list'>
  readonly connectorId: string
}

/**
 * Makes a judge of the connector's fitness, which judges anew each time. Other connectors whose reports cannot be read
 * count as unfit.
 */
export function fitnessJudge({ engines, store, connectorId, clock }: FitnessDeps): () => Promise<Fitness> {
  let lostAt: number | undefined
  let others = { areFit: false, readAt: Number.NEGATIVE_INFINITY }

  const read = async () => {
    const now = clock.now()
    const reports = await store.list(now - reliedOnMs).catch(() => [])
    const areFit = freshReports(reports, now, reliedOnMs).some(
      (report) => report.connectorId !== connectorId && report.engines.some(({ connected }) => connected),
    )
    others = { areFit, readAt: now }
  }

  return async () => {
    const canOrder = engines.some(({ commands }) => isReady(commands))
    if (canOrder) lostAt = undefined
    if (engines.some(isHealthy)) return 'fit'
    if (!canOrder) lostAt ??= clock.now()
    if (lostAt !== undefined && clock.now() - lostAt < graceMs) return 'waiting'
    if (clock.now() - others.readAt >= keptMs) await read()
    if (others.areFit) return 'unfit'
    return canOrder ? 'fit' : 'alone'
  }
}
