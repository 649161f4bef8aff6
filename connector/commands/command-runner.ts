import type { Log } from '../../adapters/log/logger.ts'
import { type CommandMessage, commandMessage } from '../../contracts/messages/command.ts'
import type { CommandOutcome } from '../../core/commands.ts'
import type { CommandStore } from '../../core/ports.ts'
import type { Channel } from '../calls/channel-registry.ts'
import { UnreadableAnswer } from '../calls/engine-channels.ts'
import { findChannel } from '../calls/find-channel.ts'
import { type EngineLink, isReady } from '../engine.ts'
import { EslError } from '../esl/errors.ts'
import { type Time, backoffMs, pause } from '../timers.ts'
import { type DispatchParts, type PreparedCommand, prepare } from './command-dispatch.ts'
import { ValueRefused } from './command-line.ts'
import type { Slots } from './slots.ts'

/** How long an outcome is tried to be stored; after that nobody asks for it any more. */
const storeAttempts = 12

/** A command that finds no place says so this long before its deadline, while somebody still waits for the answer. */
const busyNoticeMs = 2_000

/** Runs the commands of the queue, each at most once. */
export interface CommandRunner {
  /**
   * Runs one message. Resolves as soon as its command has been written to the engine, or needs no writing: the
   * message is to be removed then. The outcome is stored when it comes. Rejects when nothing was written and the
   * message is to be seen again, because the store of commands is gone.
   */
  run(body: string): Promise<void>
  /** Resolves when every outcome that is still to come has been stored. */
  settled(): Promise<void>
  /** Commands that wait for the engine's answer, and commands that wait to be sent. */
  readonly inFlight: number
  readonly waiting: number
  readonly counts: Readonly<Record<CommandCount, number>>
}

/** What is counted: the states of outcomes, and messages that were not run. */
export type CommandCount = CommandOutcome['state'] | 'repeated' | 'unreadable'

/** What a runner is made from. */
export interface RunnerParts extends Time, DispatchParts {
  readonly store: Pick<CommandStore, 'claim' | 'complete'>
  readonly link: Pick<EngineLink, 'api' | 'bgapi' | 'state'>
  /** Ringing calls have places of their own: a hang-up never waits for one of theirs. */
  readonly callSlots: Slots
  readonly orderSlots: Slots
  readonly connectorId: string
  readonly random: () => number
  readonly log: Log
}

/** Makes a runner. */
export function commandRunner(parts: RunnerParts): CommandRunner {
  const { store, callSlots, orderSlots, connectorId, log, clock, timers, random } = parts
  const running = new Set<Promise<void>>()
  const counts = { done: 0, refused: 0, absent: 0, unsent: 0, unknown: 0, repeated: 0, unreadable: 0 }

  const record = async (message: CommandMessage, outcome: CommandOutcome) => {
    counts[outcome.state] += 1
    if (message.scope.domain !== null && message.command.kind !== 'list-channels') {
      parts.registry.touch(message.scope.domain)
    }
    const line = logOf(log, message)
    const keys = { outcome: outcome.state, reason: 'reason' in outcome ? outcome.reason : undefined }
    if (message.command.kind === 'list-channels') line.debug('a command ended', keys)
    else line.info('a command ended', keys)
    for (let attempt = 1; attempt <= storeAttempts; attempt += 1) {
      try {
        return await store.complete(message.id, outcome)
      } catch (problem) {
        if (attempt === storeAttempts) line.error('the outcome of a command could not be stored', problem)
        else await pause(timers, backoffMs(attempt, random))
      }
    }
  }

  const inBackground = (work: Promise<void>) => {
    const tracked = work.finally(() => running.delete(tracked))
    running.add(tracked)
  }

  /** Whoever wins the claim is the only one to write to the engine or to tell an outcome. */
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
    const { outcome } = await prepared.send()
    inBackground(outcome.then((ended) => record(message, ended)).finally(release))
  }

  return {
    run: async (body) => {
      const message = parse(body)
      if (message === undefined) {
        counts.unreadable += 1
        return log.warn('a message of the command queue cannot be read', { characters: body.length })
      }
      const slots = isCall(message) ? callSlots : orderSlots
      const release = await slots.take(message.deadlineAt - busyNoticeMs)
      try {
        const ready = release === undefined ? unsent('busy') : await look(parts, message)
        if ('state' in ready) return await endUnsent(message, ready).finally(release)
        await send(message, ready, release ?? (() => {}))
      } catch (problem) {
        release?.()
        throw problem
      }
    },
    settled: async () => {
      while (running.size > 0) await Promise.all(running)
    },
    get inFlight() {
      return callSlots.taken + orderSlots.taken
    },
    get waiting() {
      return callSlots.waiting + orderSlots.waiting
    },
    counts,
  }
}

/** Everything that can keep a command from being sent, before it is claimed; else the command, ready to be sent. */
async function look(parts: RunnerParts, message: CommandMessage): Promise<CommandOutcome | PreparedCommand> {
  if (parts.clock.now() >= message.deadlineAt) return unsent('expired')
  if (!isReady(parts.link)) return unsent('disconnected')
  if (!isOwnCall(message)) return { state: 'absent' }
  try {
    const channel = await channelOf(parts, message)
    if (channel === 'absent') return { state: 'absent' }
    if (parts.clock.now() >= message.deadlineAt) return unsent('expired')
    return prepare(parts, message, channel)
  } catch (problem) {
    if (problem instanceof ValueRefused) return { state: 'refused', text: `-ERR ${problem.message}\n` }
    if (problem instanceof EslError || problem instanceof UnreadableAnswer) return unsent('disconnected')
    throw problem
  }
}

/** Whoever may only touch his own channels may only ring his own phone. */
function isOwnCall({ command, scope }: CommandMessage): boolean {
  if (command.kind !== 'originate' || scope.presenceId === null) return true
  return `${command.callerId}@${scope.domain ?? ''}`.toLowerCase() === scope.presenceId.toLowerCase()
}

/** The channel of an order to one, proven to be in scope; `undefined` for a command that is about no channel. */
async function channelOf(
  parts: RunnerParts,
  { command, scope }: CommandMessage,
): Promise<Channel | undefined | 'absent'> {
  switch (command.kind) {
    case 'hold':
    case 'unhold':
      return (await findChannel(parts, command.uuid, scope, 'always')) ?? 'absent'
    case 'hangup':
      return (await findChannel(parts, command.uuid, scope, 'when unproven')) ?? 'absent'
    case 'eavesdrop':
      return (await findChannel(parts, command.target, scope, 'always')) ?? 'absent'
    case 'originate':
    case 'list-channels':
    case 'hang-up-domain':
    case 'flush-account':
    case 'drop-registrations':
      return undefined
  }
}

function isCall({ command }: CommandMessage): boolean {
  return command.kind === 'originate' || command.kind === 'eavesdrop'
}

function unsent(reason: 'expired' | 'disconnected' | 'busy'): CommandOutcome {
  return { state: 'unsent', reason }
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
