import type { ReportUnsent } from '../../core/commands/notify-engine.ts'
import type { Route } from '../../contracts/routes/route.ts'
import type { EndpointRequest } from '../endpoint/use-case.ts'

/** A route of the gateways of one domain. */
export type GatewayRoute = Route & { readonly authentication: 'token'; readonly domain: 'required' }

/** Returns the context of an order to the engines about a changed gateway, taken from its request. */
export function orderContext({ requestId, log }: Pick<EndpointRequest<GatewayRoute>, 'requestId' | 'log'>): {
  readonly requestId: string
  readonly reportUnsent: ReportUnsent
} {
  return {
    requestId,
    reportUnsent: (what, error) => log.error('change made but not published', error, { what }),
  }
}
