import { addressGuard } from '../../adapters/http/address-guard.ts'
import type { Route } from '../../contracts/routes/route.ts'
import type { EmailContext } from '../../core/email/write-email-settings.ts'
import type { EndpointRequest } from '../endpoint/use-case.ts'

type EmailRoute = Route & { readonly authentication: 'token'; readonly domain: 'required' }

/** Returns the context of a change of mail settings, taken from its request. */
export function emailContext(
  request: Pick<EndpointRequest<EmailRoute>, 'domain' | 'clock' | 'random' | 'precondition' | 'settings'>,
  { mustExist }: Pick<EmailContext, 'mustExist'>,
): EmailContext {
  const { domain, clock, random, precondition, settings } = request
  return { domain, clock, random, precondition, guard: addressGuard(settings.hookAllowedNetworks), mustExist }
}
