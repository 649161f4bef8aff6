import { applyList } from '../lists/apply-list.ts'
import type { ListQuery } from '../lists/list-query.ts'
import type { GatewayStore } from './gateway-store.ts'
import { type GatewayWithState, presentWithState } from './present-gateway.ts'
import { type GatewayStatePorts, readGatewayStates } from './read-gateway-states.ts'

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
  'state',
  'status',
] as const satisfies readonly (keyof GatewayWithState)[]

/** Lists the gateways of a domain with their states, by name and by the rules that every list follows. */
export async function listGateways(
  { gateways, ...ports }: GatewayStatePorts & { readonly gateways: Pick<GatewayStore, 'list'> },
  domain: string,
  query: ListQuery,
  now: number,
) {
  const [stored, stateOf] = await Promise.all([gateways.list(domain), readGatewayStates(ports, domain, now)])
  const presented = stored.map((gateway) => presentWithState(gateway, stateOf(gateway.name)))
  const { rows, headers } = applyList<GatewayWithState>(presented, query, {
    id: ({ name }) => name,
    fields,
  })
  return { data: rows.map(({ item }) => item), headers }
}
