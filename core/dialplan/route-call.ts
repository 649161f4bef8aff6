import { couldBeDomain, lowerAscii } from '../access/resolve-domain.ts'
import { emergencyVariable, failing } from './call-actions.ts'
import { TooMuchPatternWork } from './call-patterns.ts'
import { type CallPlan, type RouteSettings, type RoutedCall, planOf } from './call-plan.ts'
import type { Cursor } from './branches.ts'
import { findAccount } from './find-account.ts'
import { positionVariable } from './run-callflow.ts'
import { type RoutePorts, Router } from './router.ts'
import { accountPattern } from './step-values.ts'

/**
 * Routes a call. One of the domain itself: an emergency number by the first enabled default route that matches it, or
 * the emergency gateway; an account's login or number to the account; any other by the first enabled default route
 * whose pattern matches the whole dialled text. One from a gateway: by the first enabled public route that matches,
 * those of this gateway first. A caller on the domain's `default_blacklist` is refused, unless the number is an
 * emergency number. A call that comes back from its own route goes on where it left it. Patterns that are too much work
 * end the call, or leave it to the emergency gateway.
 */
export async function routeCall(ports: RoutePorts, call: RoutedCall, settings: RouteSettings): Promise<CallPlan> {
  const name = lowerAscii(call.domain)
  const nothing = planOf({ kind: 'none' }, [], [], call.variables)
  if (!couldBeDomain(name) || !accountPattern.test(call.number)) return nothing
  const isInbound = call.gateway !== undefined
  // The number of a call from a gateway is its caller's own text (the To header), so it exempts the call from nothing.
  const isEmergency = !isInbound && settings.emergencyNumbers.includes(call.number)
  const [domain, account, { routes }] = await Promise.all([
    ports.domains.read(name),
    isEmergency || isInbound ? undefined : findAccount(ports.accounts, name, call.number),
    isInbound ? ports.publicRoutes.list(name) : ports.defaultRoutes.list(name),
  ])
  if (domain === undefined) return nothing
  const isExempt = isEmergency || call.variables.get(emergencyVariable) === 'true'
  const kind = isInbound ? 'public' : isEmergency ? 'emergency' : 'default'
  const router = new Router(ports, { ...call, domain: name, isExempt }, settings, { domain, kind })
  const position = positionOf(call)
  try {
    if (position !== undefined) return await router.goOn(routes, position)
    if (!isExempt && (await router.isRefused())) return router.refusal()
    if (account !== undefined) return router.ring(account)
    return await router.byRoute(routes)
  } catch (error) {
    if (!(error instanceof TooMuchPatternWork)) throw error
    return kind === 'emergency' ? await router.withoutRoute([]) : router.tooMuch(error.message)
  }
}

/** Returns whether neither an account nor a route of its domain takes a call, whatever else ends it. */
export function isWithoutRoute({ matched, actions }: CallPlan): boolean {
  return matched.kind === 'none' && matched.name === undefined && actions.at(-1) !== failing
}

/** Returns the position of a call that asks for its route's rest; `undefined` if it now asks for another number. */
function positionOf({ number, variables }: RoutedCall): { readonly id: string; readonly cursor: Cursor } | undefined {
  const [, id, indices, asked] =
    /^([0-9a-f]{24}):(\d{1,3}(?:\.\d{1,5}){0,24}):(.+)$/.exec(variables.get(positionVariable) ?? '') ?? []
  if (id === undefined || indices === undefined || asked !== number) return undefined
  return { id, cursor: indices.split('.').map(Number) }
}
