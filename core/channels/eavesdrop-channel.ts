import type { CommandOutcome, EavesdropCommand } from '../commands/commands.ts'
import { DomainError } from '../errors.ts'
import { serviceEvent } from '../events/service-event.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import type { CallEngine } from '../commands/call-engine.ts'
import type { EventSink } from '../events/event-sink.ts'
import type { PlatformEvent } from '../events/platform-event.ts'
import { readCallAccount } from './call-account.ts'
import { type CallVariables, callVariableRules, checkCallVariables } from './call-variables.ts'
import {
  type EngineReply,
  type Orderer,
  commandScope,
  engineWaitMs,
  isUnanswered,
  okReply,
  pendingReply,
  refuseReload,
  requireDone,
  variableTexts,
} from './engine-reply.ts'
import type { ChosenCall } from './originate-call.ts'
import { type LiveCallPorts, countCall, recountCall } from './live-calls.ts'

/** The fields of a request to listen; every text has matched its pattern. */
export interface EavesdropRequest {
  readonly target: string
  /** The listener's login; by default the caller's. */
  readonly user?: string | undefined
  readonly display?: string | undefined
  readonly mode?: EavesdropCommand['mode'] | undefined
  readonly dtmf?: boolean | undefined
  /** The number that the listening leg identifies itself with; by default the listener's login. */
  readonly side?: string | undefined
  readonly variables?: CallVariables | undefined
}

/** The ports of {@link eavesdropChannel}. */
export interface EavesdropPorts extends LiveCallPorts {
  readonly accounts: Pick<AccountStore, 'read'>
  readonly engine: Pick<CallEngine, 'run'>
  readonly events: Pick<EventSink, 'publish'>
}

/**
 * Rings a listener's phone and connects it as a listener to a live channel of the domain. The service chose `uuid` for
 * the listening leg; with one `commandId` the command is sent once, however often it is requested. Publishes
 * `CUSTOM->svc::eavesdrop_start`, also while the listener's phone still rings and when the outcome is unknown: every
 * use that may have taken effect is reported. The listening leg counts as a call that the API placed; throws
 * `rate_limited` when the domain has too many of them.
 */
export async function eavesdropChannel(
  ports: EavesdropPorts,
  orderer: Orderer & { readonly domain: string },
  request: EavesdropRequest,
  { uuid, commandId, clock, clientVariables }: ChosenCall,
): Promise<EngineReply> {
  const { caller, domain } = orderer
  const variables = checkCallVariables(request.variables, callVariableRules(caller.acl, clientVariables))
  refuseReload(domain, [['user', request.user ?? caller.login], ['side', request.side], ...variableTexts(variables)])
  const account = await readCallAccount(ports.accounts, caller, domain, { field: 'user', name: request.user })
  const command: EavesdropCommand = {
    kind: 'eavesdrop',
    uuid,
    target: request.target,
    user: account.login,
    display: request.display,
    mode: request.mode ?? 'listen',
    dtmf: request.dtmf ?? false,
    side: request.side ?? account.login,
    variables,
  }
  const startedAt = clock.now()
  await countCall(ports, orderer, { uuid, now: startedAt })
  const outcome = await ports.engine.run(command, commandScope(orderer), engineWaitMs, commandId)
  if (mayListen(outcome)) await publishListen(ports.events, startEvent(command, orderer, outcome, startedAt), outcome)
  await recountCall(ports, domain, { uuid, now: clock.now() }, outcome)
  return isUnanswered(outcome) ? pendingReply(uuid) : okReply(requireDone(outcome, uuid).text)
}

/** Returns whether the engine was asked and did not refuse, including answers that are pending or lost. */
function mayListen(outcome: CommandOutcome | undefined): boolean {
  return outcome === undefined || outcome.state === 'done' || outcome.state === 'unknown'
}

/** The listening leg is the one that the engine reported; otherwise the chosen one, which leads to it. */
function startEvent(
  command: EavesdropCommand,
  { caller, domain, requestId }: Orderer & { readonly domain: string },
  outcome: CommandOutcome | undefined,
  now: number,
): PlatformEvent {
  return serviceEvent({
    kind: 'eavesdrop_start',
    id: `eavesdrop_start:${command.uuid}`,
    domain,
    uuid: command.target,
    occurredAt: now,
    requestId,
    fields: {
      'Eavesdrop-UUID': outcome?.state === 'done' ? (outcome.uuid ?? command.uuid) : command.uuid,
      'Eavesdrop-User': command.user,
      'Eavesdrop-Mode': command.mode,
      'Eavesdrop-Caller': caller.username,
    },
  })
}

/**
 * Publishes the event. Listening without an event would be worse than a late error, so a failure is reported to the
 * caller with what has happened.
 */
async function publishListen(
  events: Pick<EventSink, 'publish'>,
  event: PlatformEvent,
  outcome: CommandOutcome | undefined,
): Promise<void> {
  const refused = await events.publish([event])
  if (refused.length === 0) return
  const what = `${outcome?.state === 'done' ? 'was' : 'may have been'} called (${event.fields['Eavesdrop-UUID']})`
  throw new DomainError('store_unavailable', `the listener ${what}, but the event of it could not be queued`)
}
