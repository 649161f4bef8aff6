import { applyList } from '../requests/apply-list.ts'
import type { ListQuery } from '../requests/list-query.ts'
import type { GatewayStore } from './gateway-store.ts'
import { type NetworkRange, overlapFinder } from './network-claims.ts'
import { type GatewayWithState, presentWithState } from './present-gateway.ts'
import { type GatewayViewPorts, gatewayViews } from './gateway-views.ts'
import type { GatewayJudges } from './gateway-input.ts'

const fields = [
  'name',
  'domain',
  'enabled',
  'profile',
  'register',
  'realm',
  'from_domain',
  'proxy',
  'username',
  'from_user',
  'password',
  'networks',
  'confirmed_networks',
  'transport',
  'srtp',
  'expires',
  'caller_id',
  'max_calls',
  'codecs',
  'state',
  'status',
  'ignored',
  'overlaps',
] as const satisfies readonly (keyof GatewayWithState)[]

/** The reader of a list, and the rules. */
export interface GatewayListContext {
  readonly domain: string
  readonly isRoot: boolean
  /** Epoch milliseconds. */
  readonly now: number
  readonly judges: GatewayJudges
  readonly rangeOf: (network: string) => NetworkRange | undefined
}

/** Lists the gateways of a domain with their states, by name and by the rules that every list follows. */
export async function listGateways(
  { gateways, ...ports }: GatewayViewPorts & { readonly gateways: Pick<GatewayStore, 'list' | 'listAll'> },
  { domain, isRoot, rangeOf, ...context }: GatewayListContext,
  query: ListQuery,
) {
  const [stored, all, viewOf] = await Promise.all([
    gateways.list(domain),
    isRoot ? gateways.listAll() : [],
    gatewayViews(ports, domain, context),
  ])
  const overlapsOf = overlapFinder(all, rangeOf)
  const presented = stored.map((one) => presentWithState(one, { ...viewOf(one), overlaps: overlapsOf(one) }))
  const { rows, headers } = applyList<GatewayWithState>(presented, query, {
    id: ({ name }) => name,
    fields,
  })
  return { data: rows.map(({ item }) => item), headers }
}
