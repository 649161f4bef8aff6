import type { Account } from '../accounts/account.ts'
import { ownNumbersOf, trustsCallerIds } from '../client-names/domain-parameters.ts'
import { shownNumber } from '../client-names/value-rules.ts'
import type { Domain } from '../domains/domain.ts'
import { type Gateway, gatewayAtEngine } from '../gateways/gateway.ts'
import type { Assignment, EngineAction } from './engine-action.ts'
import { accountPattern, application, set } from './step-values.ts'

/** The cause of a call over the limit of its gateway; SIP callers get 503. */
const overLimit = 'NORMAL_CIRCUIT_CONGESTION'

/** Keeps a leg counted at its gateway until it ends, also when it is transferred. */
const countedToTheEnd = ['limit_ignore_transfer', 'true'] as const

/** A caller, as far as it decides which number a gateway shows. */
export interface GatewayCaller {
  readonly domain: Domain
  readonly account: Account | undefined
  readonly sent: string | undefined
}

/**
 * Keep headers (`Diversion`, `P-Charge-Info`, `X-…`) and body parts that name a caller out of legs of gateways.
 */
export const nothingOfThePhone: readonly EngineAction[] = [
  set('sip_copy_custom_headers', 'false'),
  set('sip_copy_multipart', 'false'),
]

/**
 * Returns the variables of a leg that is called through a gateway: the caller that it shows, and its place among the
 * calls of the gateway. A call that is exempt is counted and never refused.
 */
export function termsOfCalled(gateway: Gateway, caller: GatewayCaller, isExempt: boolean): Assignment[] {
  const limit = limitOf(gateway, isExempt)
  return [
    ...showing(gateway, caller),
    ...(limit === undefined ? [] : [ofLeg(...countedToTheEnd), ofLeg('execute_on_originate', `limit ${limit}`)]),
  ]
}

/** Returns the variables of a leg with the caller that it shows; the emergency gateway has no settings of its own. */
export function showing(gateway: Gateway | undefined, caller: GatewayCaller): Assignment[] {
  const number = numberOf(gateway, caller)
  return [ofLeg('origination_caller_id_number', number), ofLeg('origination_caller_id_name', number)]
}

/** Returns the applications that count a call from a gateway, or end it at once if there are too many. */
export function termsOfCalling(gateway: Gateway, isExempt: boolean): EngineAction[] {
  const limit = limitOf(gateway, isExempt)
  return limit === undefined ? [] : [set(...countedToTheEnd), application('limit', limit)]
}

function ofLeg(name: string, value: string): Assignment {
  return { legs: 'own', name, value }
}

/** The number that the called party sees: a phone decides it only where root trusts the domain. */
function numberOf(gateway: Gateway | undefined, { domain, account, sent }: GatewayCaller): string {
  const { callerId = 'account', fromUser, username } = gateway ?? {}
  const fixed = /^number:(.+)$/.exec(callerId)?.[1]
  const kept = callerId === 'keep' && trustsCallerIds(domain) ? sent : undefined
  const outbound = [account, domain].map((of) => of?.variables['outbound_caller_id_number'])
  const ofAccount = outbound.find((number) => number !== undefined && shownNumber.accepts(number, domain.name))
  const names = [fixed, kept, ofAccount, fromUser, username, account?.numbers[0], account?.login]
  const wanted = names.find((name) => name !== undefined && accountPattern.test(name)) ?? 'anonymous'
  const own = ownNumbersOf(domain)
  return own.includes(wanted) ? wanted : (own[0] ?? wanted)
}

/** The data of the engine's `limit`: both directions share one count, which each engine keeps for itself. */
function limitOf(gateway: Gateway, isExempt: boolean): string | undefined {
  if (gateway.maxCalls === undefined) return undefined
  const key = `hash gateway ${gatewayAtEngine(gateway)}`
  return isExempt ? `${key} -1` : `${key} ${gateway.maxCalls} !${overLimit}`
}
