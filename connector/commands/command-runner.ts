import type { Log } from '../../adapters/log/logger.ts'
import { type CommandMessage, commandMessage } from '../../contracts/messages/command.ts'
import type { CommandOutcome } from '../../core/commands/commands.ts'
import type { DomainCommands } from '../../core/connectors/connector-report.ts'
import { DomainError } from '../../core/errors.ts'
import type { CommandStore } from '../../core/commands/command-store.ts'
import { type RetryRules, retry } from '../../core/concurrency/retry.ts'
import type { PreparedCommand } from './command-dispatch.ts'
import { type RouteDeps, likelyEngine, routeCommand, unsent } from './command-route.ts'
import {
  type PendingUnregistrations,
  type UnregisteringEngine,
  pendingUnregistrations,
} from './pending-unregistrations.ts'
import { phoneAsks } from './phone-asks.ts'
import { type SlotLimits, type EngineSlots, engineSlots } from './command-slots.ts'

/** How often an outcome is tried to be stored that the store refuses for itself. */
const storeAttempts = 12

/** How long it is tried while the store is gone: a day later the record is gone too. It keeps its place. */
const storeMs = 24 * 60 * 60_000

/** A command that finds no place says so this long before its deadline, while somebody still waits for the answer. */
export const busyNoticeMs = 2_000

/** Counters: the states of outcomes, and messages that were not run. */
export type CommandCount = CommandOutcome['state'] | 'repeated' | 'unreadable'

export interface RunnerDeps extends Omit<RouteDeps, 'readAlias' | 'asks' | 'owed'> {
  readonly store: Pick<
    CommandStore,
    | 'read'
    | 'claim'
    | 'complete'
    | 'keepAlias'
    | 'readAlias'
    | 'addUnregistrations'
    | 'listUnregistrations'
    | 'endUnregistration'
  >
  readonly limits: { readonly calls: SlotLimits; readonly orders: SlotLimits; readonly lists: SlotLimits }
  readonly connectorId: string
  readonly random: () => number
  readonly log: Log
  /** Called with each command that was written to an engine, at once and when its outcome is known. */
  readonly onSent?: ((message: CommandMessage) => void) | undefined
  readonly onEnded?: ((message: CommandMessage) => void) | undefined
}

/** Runs the commands of the queue, each at most once. */
export class CommandRunner {
  readonly counts: Record<CommandCount, number>
  readonly #deps: RunnerDeps
  readonly #owed: PendingUnregistrations
  readonly #route: RouteDeps
  readonly #places: EngineSlots
  readonly #running = new Set<Promise<void>>()

  constructor(deps: RunnerDeps) {
    const { store, limits, clock, timers } = deps
    this.counts = { done: 0, refused: 0, absent: 0, unsent: 0, unknown: 0, repeated: 0, unreadable: 0 }
    this.#deps = deps
    this.#owed = pendingUnregistrations(deps)
    const asks = phoneAsks(deps)
    this.#route = { ...deps, readAlias: (chosen) => store.readAlias(chosen), asks, owed: this.#owed }
    this.#places = engineSlots({ clock, timers, engines: deps.engines.map(({ engine }) => engine.name), ...limits })
  }

  get inFlight(): number {
    return this.#places.taken
  }

  get waiting(): number {
    return this.#places.waiting
  }

  /**
   * Runs one message. Resolves as soon as its command has been written to the engine, or needs no writing: the
   * message is to be removed then. The outcome is stored when it comes. Rejects when nothing was written and the
   * message is to be seen again, because the store of commands is gone.
   */
  async run(body: string): Promise<void> {
    const message = parse(body)
    if (message === undefined) {
      this.counts.unreadable += 1
      return this.#deps.log.warn('a message of the command queue cannot be read', { characters: body.length })
    }
    await this.#owed.owe(message)
    const engine = await likelyEngine(this.#route, message)
    const places = this.#places.for(message, engine)
    const release = await places.take(message.scope.domain, message.deadlineAt - busyNoticeMs)
    try {
      const ready = release === undefined ? unsent('busy') : await routeCommand(this.#route, message, engine)
      if ('state' in ready) return await this.#endUnsent(message, ready).finally(release)
      await this.#send(message, ready, release ?? (() => {}))
    } catch (problem) {
      release?.()
      throw problem
    }
  }

  linkUp(engine: UnregisteringEngine): void {
    void this.#owed.settle(engine)
  }

  /** Gives every engine its owed drops once another connector ended: it may have claimed one and not done it. */
  othersGone(): void {
    this.#owed.settleAll()
  }

  /** Resolves when every outcome that is still to come has been stored. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  byDomain(): readonly DomainCommands[] {
    return this.#places.byDomain()
  }

  async #send(message: CommandMessage, prepared: PreparedCommand, release: () => void): Promise<void> {
    const { clock, onSent, onEnded } = this.#deps
    if (!(await this.#claim(message))) return release()
    if (clock.now() >= message.deadlineAt) {
      return this.#inBackground(this.#record(message, unsent('expired')).finally(release))
    }
    const { outcome, wasWritten } = await prepared.send()
    if (wasWritten) {
      onSent?.(message)
      void outcome.then(() => onEnded?.(message))
    }
    this.#inBackground(outcome.then((ended) => this.#record(message, ended)).finally(release))
  }

  async #endUnsent(message: CommandMessage, outcome: CommandOutcome): Promise<void> {
    if (await this.#claim(message)) this.#inBackground(this.#record(message, outcome))
  }

  /** Only the winner of the claim writes to the engine and records the outcome. */
  async #claim(message: CommandMessage): Promise<boolean> {
    const { store, connectorId, log } = this.#deps
    if (await store.claim(message.id, connectorId)) return true
    this.counts.repeated += 1
    logOf(log, message).info('a command was taken already')
    return false
  }

  #inBackground(work: Promise<void>): void {
    const tracked = work.finally(() => this.#running.delete(tracked))
    this.#running.add(tracked)
  }

  async #record(message: CommandMessage, outcome: CommandOutcome): Promise<void> {
    const { registry, log } = this.#deps
    const { kind } = message.command
    this.counts[outcome.state] += 1
    if (kind === 'drop-registrations') this.#owed.settleAll()
    if (message.scope.domain !== null && kind !== 'list-channels') registry.touch(message.scope.domain)
    const line = logOf(log, message)
    const keys = { outcome: outcome.state, reason: 'reason' in outcome ? outcome.reason : undefined }
    if (kind === 'list-channels') line.debug('a command ended', keys)
    else line.info('a command ended', keys)
    await this.#store(message, outcome, line)
  }

  /** Stores an outcome, again and again while the store is gone. Never rejects. */
  async #store(message: CommandMessage, outcome: CommandOutcome, line: Log): Promise<void> {
    const { store, clock, timers, random } = this.#deps
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
}

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
