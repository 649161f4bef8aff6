import { applyList } from '../requests/apply-list.ts'
import { handedOverBytes, mostHandedOver } from '../requests/json-bytes.ts'
import { type ListQuery, readWishes } from '../requests/list-query.ts'
import type { RouteStore } from './route-store.ts'
import { type PresentedRoute, presentHead } from './present-route.ts'

const fields = [
  '_id',
  'gateway',
  'destination_number',
  'name',
  'order',
  'disabled',
  'domain',
  'fs_timezone',
  'description',
  'version',
  'callflow',
] as const satisfies readonly (keyof PresentedRoute)[]

/** A byte of JSON that is a quote or a backslash is two bytes of what a function hands over. */
const handedOverPerByte = 2
/** The offset that is added to an order, so that negative orders sort as text too. */
const orderOffset = 2_147_483_648

/**
 * Lists the routes of a domain in the order in which they are tried, by the rules that every list follows. A page of
 * large callflows is cut, and its cursor continues. Callflows are read for the page alone, and a route that was removed
 * meanwhile is left out.
 */
export async function listRoutes(
  store: Pick<RouteStore, 'list' | 'callflows'>,
  domain: string,
  query: ListQuery,
): Promise<{ data: Partial<PresentedRoute>[]; headers: Readonly<Record<string, string>> }> {
  const { columns } = readWishes(query, fields)
  const { routes } = await store.list(domain)
  const sizes = new Map(routes.map(({ id, callflowBytes }) => [id, callflowBytes]))
  const shownFlows = columns === undefined || columns.includes('callflow')
  const { rows, headers } = applyList<Omit<PresentedRoute, 'callflow'> & Partial<PresentedRoute>>(
    routes.map(presentHead),
    query,
    {
      id: ({ _id }) => _id,
      fields,
      order: ({ order, _id }) => `${String(order + orderOffset).padStart(10, '0')}:${_id}`,
      ...(shownFlows && {
        weight: {
          of: ({ _id }, shown) => handedOverBytes(shown) + (sizes.get(_id) ?? 0) * handedOverPerByte,
          most: mostHandedOver,
        },
      }),
    },
  )
  if (!shownFlows) return { data: rows.map(({ item }) => item), headers }
  const callflows = await store.callflows(
    domain,
    rows.map(({ id }) => id),
  )
  const data = rows.flatMap(({ id, item }) => {
    const callflow = callflows.get(id)
    return callflow === undefined ? [] : [{ ...item, callflow: [...callflow] }]
  })
  return { data, headers }
}
