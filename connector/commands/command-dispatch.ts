import type { CommandMessage } from '../../contracts/messages/command.ts'
import type { CommandOutcome, CommandScope, EngineCommand } from '../../core/commands/commands.ts'
import type { ClientVariables } from '../../core/client-names/client-names.ts'
import type { ChannelList } from '../calls/channel-list.ts'
import type { Channel, ChannelRegistry } from '../calls/channel-registry.ts'
import { dumpChannel, hasChannel, reader } from '../calls/engine-channels.ts'
import { type Engine, type EngineLink, isReady } from '../runtime/engine.ts'
import type { Timers } from '../../core/concurrency/timers.ts'
import {
  EslCommandFateUnknown,
  EslCommandInvalid,
  EslCommandNotSent,
  EslCommandRejected,
  EslCommandTimeout,
} from '@callplane/esl'
import type { ApplyGateway, GatewayAligner } from './apply-gateway.ts'
import { type LineCommand, commandLine, forgetLine } from './command-line.ts'
import { type PendingUnregistrations, isDropped, prepareDrop } from './pending-unregistrations.ts'
import { type EndAccountDeps, endAccount, hangUpDomain } from './end-account.ts'
import { maybeSoAlready, outcomeOf, outcomeOfAll } from './engine-reply.ts'
import { prepareErasure } from './erase-messages.ts'
import type { PendingJobs } from './pending-jobs.ts'

/** Hold, hang-up and the like are answered in milliseconds or not at all. */
const orderTimeoutMs = 20_000

/** A call is answered when its phone is, or has stopped ringing; the rest is the engine's own time for it. */
export const callGraceMs = 30_000

/** The engine rings a phone for 60 s where nothing else is said. */
const eavesdropRingMs = 60_000

/**
 * A lookup that began before a change may bring its old answer into the cache after the flush. An engine waits for a
 * lookup no longer than this (the engine kit: 2 s, and never more than 4 s), so a second flush afterwards removes it.
 */
const longestLookupMs = 5_000

/** A placed call whose fate is unknown: by then its engine has reported it, or its channels were read anew. */
const forgetMs = 60_000

/** A command that has been looked over and can only be sent now. */
export interface PreparedCommand {
  /** Sends it. Resolves when nothing more will be written to an engine for it. Never rejects. */
  send(): Promise<SentCommand>
}

/** A command that has been sent, or could not be. Its outcome never rejects. */
export interface SentCommand {
  readonly wasWritten: boolean
  readonly outcome: Promise<CommandOutcome>
}

/** An engine that commands are given to. */
export interface CommandEngine {
  readonly engine: Pick<Engine, 'name'> & {
    readonly commands: Pick<EngineLink, 'api' | 'bgapi' | 'state'>
    readonly events: Pick<EngineLink, 'state'>
  }
  readonly jobs: PendingJobs
}

export interface DispatchDeps extends Pick<EndAccountDeps, 'accounts'> {
  readonly engines: readonly CommandEngine[]
  readonly registry: ChannelRegistry
  readonly channels: ChannelList
  readonly timers: Timers
  readonly clientVariables?: ClientVariables | undefined
  readonly owed: Pick<PendingUnregistrations, 'done'>
  readonly aligner: Pick<GatewayAligner, 'prepare'>
}

/** Where a command goes. */
export interface Destination {
  /** One engine; every engine for what concerns them all, those that are away included. */
  readonly to: readonly CommandEngine[]
  /** The proven channel of an order to one. */
  readonly channel?: Channel | undefined
}

/**
 * Makes a command ready to be sent. The line of an order to a channel contains the engine's own uuid of the proven
 * channel. Throws `ValueRefused` for values that cannot be in a line.
 */
export function prepare(parts: DispatchDeps, message: CommandMessage, { to, channel }: Destination): PreparedCommand {
  const { scope, id } = message
  if (message.command.kind === 'list-channels') {
    return { send: async () => ({ wasWritten: true, outcome: ended(() => listed(parts.channels, scope)) }) }
  }
  if (message.command.kind === 'hang-up-domain') {
    return { send: async () => ({ wasWritten: true, outcome: ended(() => hangUpDomain(parts, scope)) }) }
  }
  if (message.command.kind === 'drop-registrations' || message.command.kind === 'drop-domain-registrations') {
    const { command } = message
    const drop = prepareDrop(command, scope.domain)
    const dropAt = async ({ engine }: CommandEngine) => {
      const outcome = await ended(async () => {
        const dropped = await drop(engine.commands)
        if (isDropped(dropped) && command.kind === 'drop-registrations' && scope.domain !== null) {
          const { login } = command
          await endAccount(parts, engine, { domain: scope.domain, login, deletedAt: message.createdAt })
        }
        return dropped
      })
      flushAgain(parts, [{ engine }], forgetLine(command, scope.domain))
      // The clean-up of a deleted domain repeats its order itself, and a late one would hit the next owner of the name.
      if (command.kind === 'drop-registrations' && scope.domain !== null && isDropped(outcome)) {
        const account = { domain: scope.domain, login: command.login, deletedAt: message.createdAt }
        await parts.owed.done({ ...account, engine: engine.name, command: message.id })
      }
      return outcome
    }
    const wasWritten = to.some(({ engine }) => isReady(engine.commands))
    return { send: async () => ({ wasWritten, outcome: Promise.all(to.map(dropAt)).then(outcomeOfAll) }) }
  }
  if (message.command.kind === 'erase-messages') {
    const erase = prepareErasure(message.command, scope.domain)
    return { send: async () => ({ wasWritten: true, outcome: ended(() => erase(to)) }) }
  }
  if (message.command.kind === 'apply-gateway') return prepareGatewayAt(parts, message.command, scope, to)
  const command = addressed(message.command, channel && parts.registry.spellingOf(channel.uuid))
  const line = commandLine(command, scope.domain, parts.clientVariables, message.requestId)
  const job = { id, scope, command, line }
  return {
    send: async () => {
      const sent = await Promise.all(to.map((engine) => sendJob(parts, engine, job)))
      const wasWritten = sent.some((one) => one.wasWritten)
      if (command.kind === 'flush-account' || command.kind === 'flush-directory') flushAgain(parts, to, line)
      return { wasWritten, outcome: Promise.all(sent.map(({ outcome }) => outcome)).then(outcomeOfAll) }
    },
  }
}

function prepareGatewayAt(
  { aligner }: DispatchDeps,
  command: ApplyGateway,
  { domain }: CommandScope,
  to: readonly CommandEngine[],
): PreparedCommand {
  const apply = aligner.prepare(command, domain)
  const applyAt = ({ engine: { commands } }: CommandEngine) => ended(() => apply(commands))
  return {
    send: async () => ({
      wasWritten: to.some(({ engine }) => isReady(engine.commands)),
      outcome: Promise.all(to.map(applyAt)).then(outcomeOfAll),
    }),
  }
}

/** Flushes again after lookups that were in flight. An engine whose link is lost meanwhile is flushed when back. */
function flushAgain({ timers }: DispatchDeps, engines: readonly Pick<CommandEngine, 'engine'>[], line: string): void {
  timers.after(longestLookupMs, () => {
    for (const { engine } of engines) {
      if (isReady(engine.commands)) void engine.commands.api(line).catch(() => {})
    }
  })
}

/** A command for a chosen uuid applies to the channel that the engine created for it, as the engine spells it. */
function addressed(command: LineCommand, channel: string | undefined): LineCommand {
  if (channel === undefined) return command
  return command.kind === 'eavesdrop' ? { ...command, target: channel } : withUuid(command, channel)
}

function withUuid(command: Exclude<LineCommand, { kind: 'eavesdrop' }>, uuid: string): LineCommand {
  return 'uuid' in command ? { ...command, uuid } : command
}

async function listed(channels: ChannelList, scope: CommandScope): Promise<CommandOutcome> {
  return { state: 'done', text: await channels.read(scope) }
}

async function ended(work: () => Promise<CommandOutcome>): Promise<CommandOutcome> {
  try {
    return await work()
  } catch (problem) {
    return outcomeOfFailure(problem)
  }
}

interface Job {
  readonly id: string
  readonly scope: CommandScope
  readonly command: LineCommand
  readonly line: string
}

async function sendJob(
  { registry, timers }: Pick<DispatchDeps, 'registry' | 'timers'>,
  at: CommandEngine,
  job: Job,
): Promise<SentCommand> {
  const { engine, jobs } = at
  const placed = placedCall(job)
  if (placed !== undefined) registry.place(placed.uuid, placed.domain, placed.presenceId, engine.name)
  const pending = jobs.expect(job.id, timeoutOf(job.command))
  if (placed !== undefined) void pending.ended.then(() => registry.answered(placed.uuid))
  const outcome = pending.ended.then(async (end) => {
    const judged = end.kind === 'answered' ? await judge(registry, at, job, end.reply) : unknownFor(end.reason)
    if (placed !== undefined && judged.state === 'unknown') timers.after(forgetMs, () => registry.unplace(placed.uuid))
    return judged
  })
  // A reported end proves that the engine took the job, also when the engine's reply to it is lost.
  const reportedEnd = pending.ended.then((end) => (end.kind === 'answered' ? undefined : new Promise<never>(() => {})))
  try {
    await Promise.race([engine.commands.bgapi(job.line, job.id), reportedEnd])
    return { wasWritten: true, outcome }
  } catch (problem) {
    pending.cancel()
    const failed = outcomeOfFailure(problem)
    if (placed !== undefined && failed.state !== 'unknown') registry.unplace(placed.uuid)
    return { wasWritten: failed.state !== 'unsent', outcome: Promise.resolve(failed) }
  }
}

/** The call that a command places: its uuid belongs to the domain before the engine reports it. */
function placedCall({ command, scope }: Job): { uuid: string; domain: string; presenceId: string } | undefined {
  if (scope.domain === null) return undefined
  if (command.kind !== 'originate' && command.kind !== 'eavesdrop') return undefined
  const login = command.kind === 'originate' ? command.callerId : command.user
  return { uuid: command.uuid, domain: scope.domain, presenceId: `${login}@${scope.domain}` }
}

/** The engine's words are not taken as they are: each known oddity of them is looked into here. */
async function judge(
  registry: ChannelRegistry,
  { engine }: CommandEngine,
  job: Job,
  reply: string,
): Promise<CommandOutcome> {
  const { command } = job
  const outcome = outcomeOf(command.kind, reply)
  if ((command.kind === 'hold' || command.kind === 'unhold') && maybeSoAlready(command.kind, reply)) {
    const isHeld = await readHeld(engine.commands, command.uuid)
    return isHeld === (command.kind === 'hold') ? { state: 'done', text: '+OK Success\n' } : outcome
  }
  const placed = placedCall(job)
  if (placed === undefined) return outcome
  if (outcome.state === 'refused') registry.unplace(placed.uuid)
  if (outcome.state === 'unknown') {
    const isThere = await hasChannel(engine.commands, placed.uuid).catch(() => undefined)
    return isThere === true ? { state: 'done', text: `+OK ${placed.uuid}\n`, uuid: placed.uuid } : outcome
  }
  if (outcome.state !== 'done' || outcome.uuid === undefined || outcome.uuid === placed.uuid) return outcome
  registry.unplace(placed.uuid)
  registry.place(outcome.uuid, placed.domain, placed.presenceId, engine.name)
  registry.answered(outcome.uuid)
  registry.alias(placed.uuid, outcome.uuid)
  return outcome
}

/** The outcome of a job that was not answered. */
function unknownFor(reason: Extract<CommandOutcome, { state: 'unknown' }>['reason']): CommandOutcome {
  return { state: 'unknown', reason }
}

async function readHeld(link: Pick<EngineLink, 'api'>, uuid: string): Promise<boolean | undefined> {
  try {
    const dump = await dumpChannel(link, uuid)
    const callState = dump && reader(dump)('Channel-Call-State')
    return callState === undefined ? undefined : callState === 'HELD'
  } catch {
    return undefined
  }
}

function timeoutOf(command: EngineCommand): number {
  if (command.kind === 'originate') return command.timeoutSeconds * 1_000 + callGraceMs
  return command.kind === 'eavesdrop' ? eavesdropRingMs + callGraceMs : orderTimeoutMs
}

/** How a command ended that failed to be sent: never "failed" if it may have had effect, or its answer is unread. */
function outcomeOfFailure(problem: unknown): CommandOutcome {
  if (problem instanceof EslCommandNotSent) return { state: 'unsent', reason: 'disconnected' }
  if (problem instanceof EslCommandRejected) return { state: 'refused', text: problem.reply }
  if (problem instanceof EslCommandInvalid) return { state: 'refused', text: '-ERR the command cannot be sent\n' }
  if (problem instanceof EslCommandTimeout) return { state: 'unknown', reason: 'timeout' }
  if (problem instanceof EslCommandFateUnknown) return { state: 'unknown', reason: 'disconnected' }
  return { state: 'unknown', reason: 'disconnected' }
}
