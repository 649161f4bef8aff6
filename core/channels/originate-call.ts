import { ownPresenceId, permissionDenied } from '../access/permission.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import type { CallEngine } from '../commands/call-engine.ts'
import type { OriginateCommand } from '../commands/commands.ts'
import type { Clock } from '../time.ts'
import type { ClientVariables } from '../client-names/client-names.ts'
import { type CallVariables, callVariableRules, checkCallVariables } from './call-variables.ts'
import { readCallAccount } from './call-account.ts'
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
import { type LiveCallPorts, countCall, recountCall } from './live-calls.ts'

const usualTimeoutSeconds = 60

/** The fields of a requested call; every text has matched its pattern. */
export interface CallRequest {
  readonly calledId: string
  readonly callerId?: string | undefined
  /** `name=value`. */
  readonly auto_answer_param?: string | undefined
  readonly variables?: CallVariables | undefined
  /** Seconds. */
  readonly timeout?: number | undefined
  /** `answer`, the default: waits for the account to answer. `none`: returns as soon as the order is queued. */
  readonly wait?: 'answer' | 'none' | undefined
}

/** The ports of {@link originateCall}. */
export interface OriginatePorts extends LiveCallPorts {
  readonly accounts: Pick<AccountStore, 'read'>
  readonly engine: Pick<CallEngine, 'run' | 'send'>
}

/** The values that the service chooses for a call before it is placed. */
export interface ChosenCall {
  readonly uuid: string
  readonly commandId: string
  readonly clock: Clock
  readonly clientVariables: ClientVariables
}

/**
 * Rings an account's phone and connects it to its target. If the engine created another channel than the chosen one,
 * that one is returned. With one `commandId` the call is placed once, however often it is requested. A caller that may
 * place only its own calls must be the calling account. Throws `rate_limited` when the domain has too many such calls.
 */
export async function originateCall(
  ports: OriginatePorts,
  orderer: Orderer & { readonly domain: string },
  request: CallRequest,
  { uuid, commandId, clock, clientVariables }: ChosenCall,
): Promise<EngineReply> {
  const { caller, domain } = orderer
  const variables = checkCallVariables(request.variables, callVariableRules(caller.acl, clientVariables))
  refuseOthersCall(orderer, request.callerId)
  refuseReload(domain, [
    ['calledId', request.calledId],
    ['callerId', request.callerId ?? caller.login],
    ['auto_answer_param', request.auto_answer_param],
    ...variableTexts(variables),
  ])
  const account = await readCallAccount(ports.accounts, caller, domain, { field: 'callerId', name: request.callerId })
  await countCall(ports, orderer, { uuid, now: clock.now() })
  const command: OriginateCommand = {
    kind: 'originate',
    uuid,
    calledId: request.calledId,
    callerId: account.login,
    timeoutSeconds: request.timeout ?? usualTimeoutSeconds,
    autoAnswer: autoAnswerOf(request.auto_answer_param),
    variables,
  }
  if (request.wait === 'none') {
    await sendCounted(ports, orderer, command, commandId)
    return pendingReply(uuid)
  }
  const outcome = await ports.engine.run(command, commandScope(orderer), engineWaitMs, commandId)
  await recountCall(ports, domain, { uuid, now: clock.now() }, outcome)
  if (isUnanswered(outcome)) return pendingReply(uuid)
  return okReply(requireDone(outcome, uuid).text)
}

/** A call that was certainly not queued does not count any more. */
async function sendCounted(
  { engine, knownCalls }: OriginatePorts,
  orderer: Orderer & { readonly domain: string },
  command: OriginateCommand,
  commandId: string,
): Promise<void> {
  try {
    await engine.send(command, commandScope(orderer), commandId)
  } catch (error) {
    await knownCalls.unplace({ domain: orderer.domain, uuid: command.uuid })
    throw error
  }
}

/** Refused before the account is looked up, so that the answer does not reveal which accounts exist. */
function refuseOthersCall({ caller, domain, scope }: Orderer, callerId: string | undefined): void {
  if (scope === 'all' || callerId === undefined) return
  const named = callerId.includes('@') ? callerId : `${callerId}@${domain}`
  if (named.toLowerCase() === ownPresenceId(caller).toLowerCase()) return
  throw permissionDenied('your role may place calls from your own account only')
}

function autoAnswerOf(assignment: string | undefined): { name: string; value: string } | undefined {
  if (assignment === undefined) return undefined
  const at = assignment.indexOf('=')
  return { name: assignment.slice(0, at), value: assignment.slice(at + 1) }
}
