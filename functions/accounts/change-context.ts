import type { ChangeContext } from '../../core/accounts/account-context.ts'
import type { Route } from '../../contracts/routes/route.ts'
import { a1Hash } from '../a1-hash.ts'
import { clientVariablesOf } from '../client-variables.ts'
import type { EndpointRequest } from '../endpoint/use-case.ts'

type AccountRoute = Route & { readonly authentication: 'token'; readonly domain: 'required' }

/** Returns the context of a change of accounts, taken from its request. */
export function changeContext(
  request: Pick<
    EndpointRequest<AccountRoute>,
    'caller' | 'domain' | 'scope' | 'requestId' | 'clock' | 'random' | 'precondition' | 'settings' | 'log'
  >,
): ChangeContext {
  const { caller, domain, scope, requestId, clock, random, precondition, settings, log } = request
  return {
    caller,
    domain,
    scope,
    requestId,
    clock,
    random,
    precondition,
    passwordMinLength: settings.passwordMinLength,
    clientVariables: clientVariablesOf(settings),
    a1Hash,
    reportUnsent: (what, error) => log.error('change made but not published', error, { what }),
  }
}
