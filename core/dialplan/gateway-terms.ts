import type { Account } from '../accounts/account.ts'
import { type Gateway, gatewayAtEngine } from '../gateways/gateway.ts'
import type { Assignment, EngineAction } from './engine-action.ts'
import { accountPattern, application, set } from './step-values.ts'

/** The cause of a call over the limit of its gateway; SIP callers get 503. */
const overLimit = 'NORMAL_CIRCUIT_CONGESTION'

/** Keeps a leg counted at its gateway until it ends, also when it is transferred. */
const countedToTheEnd = ['limit_ignore_transfer', 'true'] as const

/**
 * Returns the variables of a leg that is called through a gateway: the caller that it shows, and its place among the calls
 * of the gateway. `account` is that of the caller, if it has one. A call that is exempt is counted and never refused.
 */
export function termsOfCalled(gateway: Gateway, account: Account | undefined, isExempt: boolean): Assignment[] {
  const shown = shownNumber(gateway, account)
  const limit = limitOf(gateway, isExempt)
  return [
    ...(shown === undefined
      ? []
      : [ofLeg('origination_caller_id_number', shown), ofLeg('origination_caller_id_name', shown)]),
    ...(limit === undefined ? [] : [ofLeg(...countedToTheEnd), ofLeg('execute_on_originate', `limit ${limit}`)]),
  ]
}

/** Returns the applications that count a call from a gateway among its calls, or end it at once when there are too many. */
export function termsOfCalling(gateway: Gateway, isExempt: boolean): EngineAction[] {
  const limit = limitOf(gateway, isExempt)
  return limit === undefined ? [] : [set(...countedToTheEnd), application('limit', limit)]
}

function ofLeg(name: string, value: string): Assignment {
  return { legs: 'own', name, value }
}

/** The number that the called party sees; `undefined`: the caller's own. */
function shownNumber({ callerId }: Gateway, account: Account | undefined): string | undefined {
  if (callerId === 'keep') return undefined
  if (callerId !== 'account') return /^number:(.+)$/.exec(callerId)?.[1]
  return [account?.numbers[0], account?.login].find((name) => name !== undefined && accountPattern.test(name))
}

/** The data of the engine's `limit`: both directions share one count, which each engine keeps for itself. */
function limitOf(gateway: Gateway, isExempt: boolean): string | undefined {
  if (gateway.maxCalls === undefined) return undefined
  const key = `hash gateway ${gatewayAtEngine(gateway)}`
  return isExempt ? `${key} -1` : `${key} ${gateway.maxCalls} !${overLimit}`
}
