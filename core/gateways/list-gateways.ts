import { applyList } from '../lists/apply-list.ts'
import type { ListQuery } from '../lists/list-query.ts'
import type { GatewayStore } from './gateway-store.ts'
import { type PresentedGateway, presentGateway } from './present-gateway.ts'

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
  'transport',
  'expires',
  'caller_id',
  'max_calls',
  'codecs',
] as const satisfies readonly (keyof PresentedGateway)[]

/** Lists the gateways of a domain by name, by the rules that every list follows. */
export async function listGateways(gateways: Pick<GatewayStore, 'list'>, domain: string, query: ListQuery) {
  const stored = await gateways.list(domain)
  const { rows, headers } = applyList<PresentedGateway>(stored.map(presentGateway), query, {
    id: ({ name }) => name,
    fields,
  })
  return { data: rows.map(({ item }) => item), headers }
}
