import type { CommandMessage } from '../../contracts/messages/command.ts'
import type { CommandOutcome } from '../../core/commands/commands.ts'
import type { Clock } from '../../core/time.ts'
import { UnreadableReply } from '../calls/engine-channels.ts'
import { type ChannelSources, findChannel } from '../calls/find-channel.ts'
import { isHealthy, isReady } from '../runtime/engine.ts'
import { EslError } from '@callplane/esl'
import { type ChoiceDeps, chooseEngine } from './choose-engine.ts'
import { type Destination, type DispatchDeps, type PreparedCommand, prepare } from './command-dispatch.ts'
import { ValueRefused } from './command-line.ts'

export interface RouteDeps extends DispatchDeps, Pick<ChannelSources, 'readAlias'>, Pick<ChoiceDeps, 'asks'> {
  readonly clock: Clock
  readonly isObserving?: boolean | undefined
}

/**
 * Makes all checks that can prevent a command from being sent, before it is claimed. Returns the refusal, or the
 * command ready to be sent: to the engine that has its channel, to the one at which its call is placed, or to all.
 * `likely` names the engine that was chosen for a call before; it is used while it is up. Rejects with a `DomainError`
 * if the store of domains or that of aliases is away.
 */
export async function routeCommand(
  parts: RouteDeps,
  message: CommandMessage,
  likely?: string,
): Promise<CommandOutcome | PreparedCommand> {
  if (parts.clock.now() >= message.deadlineAt) return unsent('expired')
  if (parts.isObserving === true && message.command.kind !== 'list-channels') return observed(message)
  if (!parts.engines.some(({ engine }) => isReady(engine.commands))) return unsent('disconnected')
  if (!isOwnCall(message)) return { state: 'absent' }
  try {
    const where = await destination(parts, message, likely)
    if ('state' in where) return where
    if (parts.clock.now() >= message.deadlineAt) return unsent('expired')
    return prepare(parts, message, where)
  } catch (problem) {
    if (problem instanceof ValueRefused) return { state: 'refused', text: `-ERR ${problem.message}\n` }
    if (problem instanceof EslError || problem instanceof UnreadableReply) return unsent('disconnected')
    throw problem
  }
}

/**
 * The outcome of a command while engines are only observed. Orders about calls are refused. An engine that is observed
 * asks the platform for no account: there is nothing to forget or to drop at it when accounts and domains change, and
 * the calls of a deleted domain are its own.
 */
function observed({ command }: CommandMessage): CommandOutcome {
  switch (command.kind) {
    case 'originate':
    case 'hold':
    case 'unhold':
    case 'hangup':
    case 'eavesdrop':
    case 'list-channels':
      return unsent('observed')
    case 'hang-up-domain':
    case 'flush-account':
    case 'flush-directory':
    case 'drop-registrations':
    case 'apply-gateway':
    case 'drop-domain-registrations':
    case 'erase-messages':
      return { state: 'done', text: '+OK nothing is sent to an engine that is only observed\n' }
  }
}

/** Returns a command that is not sent, and why. */
export function unsent(reason: 'expired' | 'disconnected' | 'busy' | 'observed'): CommandOutcome {
  return { state: 'unsent', reason }
}

/**
 * Returns the name of the engine that a command will most likely go to: the one that has its channel as far as is
 * known, or the one to place its call at; absent for what goes to several engines, or is unknown. Never rejects.
 */
export async function likelyEngine(parts: RouteDeps, { command, scope, deadlineAt }: CommandMessage) {
  switch (command.kind) {
    case 'hold':
    case 'unhold':
    case 'hangup':
      return parts.registry.find(command.uuid)?.engine
    case 'eavesdrop':
      return parts.registry.find(command.target)?.engine
    case 'originate': {
      if (parts.clock.now() >= deadlineAt) return undefined
      const chosen = await chooseEngine(parts, { domain: scope.domain, login: command.callerId }).catch(() => undefined)
      return chosen?.engine.name
    }
    case 'list-channels':
    case 'hang-up-domain':
    case 'flush-account':
    case 'flush-directory':
    case 'drop-registrations':
    case 'apply-gateway':
    case 'drop-domain-registrations':
    case 'erase-messages':
      return undefined
  }
}

/** A caller that may only touch its own channels may only ring its own phone. */
function isOwnCall({ command, scope }: CommandMessage): boolean {
  if (command.kind !== 'originate' || scope.presenceId === null) return true
  return `${command.callerId}@${scope.domain ?? ''}`.toLowerCase() === scope.presenceId.toLowerCase()
}

async function destination(
  parts: RouteDeps,
  { command, scope }: CommandMessage,
  likely: string | undefined,
): Promise<Destination | CommandOutcome> {
  switch (command.kind) {
    case 'hold':
    case 'unhold':
      return at(await findChannel(parts, command.uuid, scope, 'always'))
    case 'hangup':
      return at(await findChannel(parts, command.uuid, scope, 'when unproven'))
    case 'eavesdrop':
      return at(await findChannel(parts, command.target, scope, 'always'))
    case 'originate': {
      const before = parts.engines.find(({ engine }) => engine.name === likely && isHealthy(engine))
      const chosen = before ?? (await chooseEngine(parts, { domain: scope.domain, login: command.callerId }))
      return chosen === undefined ? unsent('disconnected') : { to: [chosen] }
    }
    case 'list-channels':
    case 'hang-up-domain':
    case 'flush-account':
    case 'flush-directory':
    case 'drop-registrations':
    case 'apply-gateway':
    case 'drop-domain-registrations':
    case 'erase-messages':
      return { to: parts.engines }
  }
}

function at(found: Awaited<ReturnType<typeof findChannel<DispatchDeps['engines'][number]>>>) {
  if (found === undefined) return { state: 'absent' } as const
  const { channel, at } = found
  return isReady(at.engine.commands) ? { to: [at], channel } : unsent('disconnected')
}
