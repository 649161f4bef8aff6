import type { Log } from '../../adapters/log/logger.ts'
import { type CommandMessage, commandMessage } from '../../contracts/messages/command.ts'
import type { CommandOutcome } from '../../core/commands/commands.ts'
import type { DomainCommands } from '../../core/connectors/connector-report.ts'
import { DomainError } from '../../core/errors.ts'
import type { CommandStore } from '../../core/commands/command-store.ts'
import { type RetryRules, retry } from '../../core/concurrency/retry.ts'
import type { PreparedCommand } from './command-dispatch.ts'
import { type RouteDeps, likelyEngine, routeCommand, unsent } from './command-route.ts'
import { type OwingEngine, owedDrops } from './owed-drops.ts'
import { phoneAsks } from './phone-asks.ts'
import { type PlaceLimits, enginePlaces } from './places.ts'

/** How often an outcome is tried to be stored that the store refuses for itself. */
const storeAttempts = 12

/** How long it is tried while the store is gone: a day later the record is gone as well. Meanwhile it keeps its place. */
const storeMs = 24 * 60 * 60_000

/** A command that finds no place says so this long before its deadline, while somebody still waits for the answer. */
export const busyNoticeMs = 2_000

/** Runs the commands of the queue, each at most once. */
export interface CommandRunner {
  /**
   * Runs one message. Resolves as soon as its command has been written to the engine, or needs no writing: the
   * message is to be removed then. The outcome is stored when it comes. Rejects when nothing was written and the
   * message is to be seen again, because the store of commands is gone.
   */
  run(body: string): Promise<void>
  /** Gives an engine whose command link came up the drops of registrations that it owes. */
  linkUp(engine: OwingEngine): void
  /** Does the same at every engine, after another connector ended: it may have claimed a drop and not done it. */
  othersGone(): void
  /** Resolves when every outcome that is still to come has been stored. */
  settled(): Promise<void>
  /** Commands that wait for the engine's answer, and commands that wait to be sent. */
  readonly inFlight: number
  readonly waiting: number
  /** Both by domain, the busiest first. */
  byDomain(): readonly DomainCommands[]
  readonly counts: Readonly<Record<CommandCount, number>>
}

/** Counters: the states of outcomes, and messages that were not run. */
export type CommandCount = CommandOutcome['state'] | 'repeated' | 'unreadable'

export interface RunnerDeps extends Omit<RouteDeps, 'readAlias' | 'asks' | 'owed'> {
  readonly store: Pick<
    CommandStore,
    'read' | 'claim' | 'complete' | 'keepAlias' | 'readAlias' | 'oweDrops' | 'listDrops' | 'endDrop'
  >
  /** The limits of ringing calls and of orders for each engine, and of lists. */
  readonly limits: { readonly calls: PlaceLimits; readonly orders: PlaceLimits; readonly lists: PlaceLimits }
  readonly connectorId: string
  readonly random: () => number
  readonly log: Log
  /** Called with each command that was written to an engine, at once and when its outcome is known. */
  readonly onSent?: ((message: CommandMessage) => void) | undefined
  readonly onEnded?: ((message: CommandMessage) => void) | undefined
}

/** Makes a runner. */
export function commandRunner(parts: RunnerDeps): CommandRunner {
  const { store, limits, connectorId, log, clock, timers, random } = parts
  const owed = owedDrops(parts)
  const asks = phoneAsks(parts)
  const route: RouteDeps = { ...parts, readAlias: (chosen) => store.readAlias(chosen), asks, owed }
  const places = enginePlaces({ clock, timers, engines: parts.engines.map(({ engine }) => engine.name), ...limits })
  const running = new Set<Promise<void>>()
  const counts = { done: 0, refused: 0, absent: 0, unsent: 0, unknown: 0, repeated: 0, unreadable: 0 }

  const record = async (message: CommandMessage, outcome: CommandOutcome) => {
    counts[outcome.state] += 1
    if (message.command.kind === 'drop-registrations') owed.settleAll()
    if (message.scope.domain !== null && message.command.kind !== 'list-channels') {
      parts.registry.touch(message.scope.domain)
    }
    const line = logOf(log, message)
    const keys = { outcome: outcome.state, reason: 'reason' in outcome ? outcome.reason : undefined }
    if (message.command.kind === 'list-channels') line.debug('a command ended', keys)
    else line.info('a command ended', keys)
    const alias = aliasOf(message, outcome)
    const until = clock.now() + storeMs
    const complete = async () => {
      // The caller may order something of the call at once, by its chosen uuid, of any connector.
      if (alias !== undefined) await store.keepAlias(alias.chosen, alias.actual)
      await store.complete(message.id, outcome, message.scope)
    }
    const rules: RetryRules = {
      mayPass: (problem, failures) => {
        const isGone = problem instanceof DomainError && problem.code === 'store_unavailable'
        return isGone ? clock.now() < until : failures < storeAttempts
      },
      onFailure: (problem, failures) => {
        if (failures === storeAttempts) line.error('the outcome of a command could not be stored', problem)
      },
    }
    await retry(complete, { timers, random }, rules).catch(() => {})
  }

  const inBackground = (work: Promise<void>) => {
    const tracked = work.finally(() => running.delete(tracked))
    running.add(tracked)
  }

  /** Only the winner of the claim writes to the engine and records the outcome. */
  const claimed = async (message: CommandMessage): Promise<boolean> => {
    if (await store.claim(message.id, connectorId)) return true
    counts.repeated += 1
    logOf(log, message).info('a command was taken already')
    return false
  }

  const endUnsent = async (message: CommandMessage, outcome: CommandOutcome) => {
    if (await claimed(message)) inBackground(record(message, outcome))
  }

  const send = async (message: CommandMessage, prepared: PreparedCommand, release: () => void) => {
    if (!(await claimed(message))) return release()
    if (clock.now() >= message.deadlineAt) return inBackground(record(message, unsent('expired')).finally(release))
    const { outcome, wasWritten } = await prepared.send()
    if (wasWritten) {
      parts.onSent?.(message)
      void outcome.then(() => parts.onEnded?.(message))
    }
    inBackground(outcome.then((ended) => record(message, ended)).finally(release))
  }

  return {
    run: async (body) => {
      const message = parse(body)
      if (message === undefined) {
        counts.unreadable += 1
        return log.warn('a message of the command queue cannot be read', { characters: body.length })
      }
      await owed.owe(message)
      const engine = await likelyEngine(route, message)
      const release = await places.for(message, engine).take(message.scope.domain, message.deadlineAt - busyNoticeMs)
      try {
        const ready = release === undefined ? unsent('busy') : await routeCommand(route, message, engine)
        if ('state' in ready) return await endUnsent(message, ready).finally(release)
        await send(message, ready, release ?? (() => {}))
      } catch (problem) {
        release?.()
        throw problem
      }
    },
    linkUp: (engine) => void owed.settle(engine),
    othersGone: () => owed.settleAll(),
    settled: async () => {
      while (running.size > 0) await Promise.all(running)
    },
    get inFlight() {
      return places.taken
    },
    get waiting() {
      return places.waiting
    },
    byDomain: () => places.byDomain(),
    counts,
  }
}

/** The uuids that were chosen and made where an engine made another channel than it was asked for. */
function aliasOf({ command }: CommandMessage, outcome: CommandOutcome): { chosen: string; actual: string } | undefined {
  if (command.kind !== 'originate' && command.kind !== 'eavesdrop') return undefined
  if (outcome.state !== 'done' || outcome.uuid === undefined || outcome.uuid === command.uuid) return undefined
  return { chosen: command.uuid, actual: outcome.uuid }
}

function parse(body: string): CommandMessage | undefined {
  try {
    const result = commandMessage.safeParse(JSON.parse(body))
    return result.success ? result.data : undefined
  } catch {
    return undefined
  }
}

/** Ids and the domain, never a number or a value of the command. */
function logOf(log: Log, { id, command, scope, requestId }: CommandMessage): Log {
  return log.with({ commandId: id, kind: command.kind, domain: scope.domain ?? undefined, requestId })
}
