import { ownPresenceId } from '../access/own.ts'
import { permissionDenied } from '../access/permission.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import type { CallEngine } from './call-engine.ts'
import type { Clock } from '../ports.ts'
import type { ClientVariables } from '../client-names/client-names.ts'
import { type CallVariables, callVariableRules, checkCallVariables } from './call-variables.ts'
import { readCallAccount } from './call-account.ts'
import { commandScope, type Orderer } from './command-scope.ts'
import { type EngineAnswer, engineWaitMs, isUnanswered, okAnswer, pendingAnswer, requireDone } from './engine-answer.ts'
import { refuseReload, variableTexts } from './reload-words.ts'
import { type LiveCallPorts, countCall, recountCall } from './live-calls.ts'

/** How long the caller's phone rings when the request does not say. */
const usualTimeoutSeconds = 60

/** A call as it is asked for; every text has matched its pattern. */
export interface CallRequest {
  readonly calledId: string
  readonly callerId?: string | undefined
  /** `name=value`. */
  readonly auto_answer_param?: string | undefined
  readonly variables?: CallVariables | undefined
  /** Seconds. */
  readonly timeout?: number | undefined
}

/** What the use case reaches. */
export interface OriginatePorts extends LiveCallPorts {
  readonly accounts: Pick<AccountStore, 'read'>
  readonly engine: Pick<CallEngine, 'run'>
}

/** What the service chose for a call before it is placed. */
export interface ChosenCall {
  readonly uuid: string
  readonly commandId: string
  readonly clock: Clock
  /** What the operator adds to the names that clients may set. */
  readonly clientVariables: ClientVariables
}

/**
 * Rings an account's phone and connects it to what it calls. Where the engine made another channel than the chosen one,
 * that one is told. The call is placed once however often it is asked for under one `commandId`. Whoever may place only
 * his own calls must be the caller himself. Throws `rate_limited` when the domain has too many such calls up.
 */
export async function originateCall(
  ports: OriginatePorts,
  orderer: Orderer & { readonly domain: string },
  request: CallRequest,
  { uuid, commandId, clock, clientVariables }: ChosenCall,
): Promise<EngineAnswer> {
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
  const outcome = await ports.engine.run(
    {
      kind: 'originate',
      uuid,
      calledId: request.calledId,
      callerId: account.login,
      timeoutSeconds: request.timeout ?? usualTimeoutSeconds,
      autoAnswer: autoAnswerOf(request.auto_answer_param),
      variables,
    },
    commandScope(orderer),
    engineWaitMs,
    commandId,
  )
  await recountCall(ports, domain, { uuid, now: clock.now() }, outcome)
  if (isUnanswered(outcome)) return pendingAnswer(uuid)
  return okAnswer(requireDone(outcome, uuid).text)
}

/** Refused before the account is looked up, so that the answer does not tell which accounts there are. */
function refuseOthersCall({ caller, domain, scope }: Orderer, callerId: string | undefined): void {
  if (scope === 'all' || callerId === undefined) return
  const named = callerId.includes('@') ? callerId : `${callerId}@${domain}`
  if (named.toLowerCase() === ownPresenceId(caller).toLowerCase()) return
  throw permissionDenied()
}

function autoAnswerOf(assignment: string | undefined): { name: string; value: string } | undefined {
  if (assignment === undefined) return undefined
  const at = assignment.indexOf('=')
  return { name: assignment.slice(0, at), value: assignment.slice(at + 1) }
}
