import { permissionDenied } from '../access/permission.ts'
import type { AccountStore, CallEngine } from '../ports.ts'
import { type CallVariables, checkCallVariables } from './call-variables.ts'
import { readCallAccount } from './call-account.ts'
import { commandScope, type Orderer } from './command-scope.ts'
import { type EngineAnswer, engineWaitMs, isUnanswered, okAnswer, pendingAnswer, requireDone } from './engine-answer.ts'

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

/**
 * Rings an account's phone and connects it to what it calls. `uuid` is the channel that the service chose; where the
 * engine made another one, that one is told. Whoever may place only his own calls must be the caller himself.
 */
export async function originateCall(
  ports: { readonly accounts: Pick<AccountStore, 'read'>; readonly engine: Pick<CallEngine, 'run'> },
  orderer: Orderer & { readonly domain: string },
  request: CallRequest,
  uuid: string,
): Promise<EngineAnswer> {
  const { caller, domain } = orderer
  const variables = checkCallVariables(request.variables)
  refuseOthersCall(orderer, request.callerId)
  const account = await readCallAccount(ports.accounts, caller, domain, { field: 'callerId', name: request.callerId })
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
  )
  if (isUnanswered(outcome)) return pendingAnswer(uuid)
  return okAnswer(requireDone(outcome).text)
}

/** Refused before the account is looked up, so that the answer does not tell which accounts there are. */
function refuseOthersCall({ caller, domain, scope }: Orderer, callerId: string | undefined): void {
  if (scope === 'all' || callerId === undefined) return
  const named = callerId.includes('@') ? callerId : `${callerId}@${domain}`
  if (named.toLowerCase() === caller.username.toLowerCase()) return
  throw permissionDenied()
}

function autoAnswerOf(assignment: string | undefined): { name: string; value: string } | undefined {
  if (assignment === undefined) return undefined
  const at = assignment.indexOf('=')
  return { name: assignment.slice(0, at), value: assignment.slice(at + 1) }
}
