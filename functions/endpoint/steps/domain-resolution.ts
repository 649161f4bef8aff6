import { type ResolvedDomain, resolveDomain } from '../../../core/access/resolve-domain.ts'
import { invalidField } from '../../../core/errors.ts'
import { type Endpoint, type Step, requireStep, requirePort } from '../endpoint-parts.ts'
import type { Exchange } from '../exchange.ts'

/** Finds the domain of the request, and refuses one that is not the caller's or does not exist. */
export function domainResolution(endpoint: Endpoint): Step {
  return {
    before: async ({ event: exchange }) => {
      const domain = await domainOf(exchange, endpoint)
      exchange.domain = domain?.name ?? null
      exchange.domainCreatedAt = domain?.createdAt ?? null
      exchange.log = exchange.log.with({ domain: exchange.domain ?? '' })
    },
  }
}

async function domainOf({ caller, raw }: Exchange, { route, ports }: Endpoint): Promise<ResolvedDomain | null> {
  const rule = route.domain
  if (rule === 'none' || caller === undefined) return null
  const { params, query, body } = requireStep(raw, 'request syntax')
  const named = { query: query['domain'], body: bodyDomain(body) }
  if (rule !== 'path') return resolveDomain(caller, named, rule, requirePort(ports.domains))
  return resolveDomain(caller, { ...named, path: params['domain_name'] }, 'required', requirePort(ports.domains))
}

function bodyDomain(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'domain')) return undefined
  const { domain } = body as { readonly domain: unknown }
  if (typeof domain !== 'string') throw invalidField('domain', 'must be a domain name')
  return domain
}
