import type { Acl } from '../../access/acl.ts'
import { applyList } from '../../lists/apply-list.ts'
import { handedOverBytes, mostHandedOver } from '../../lists/json-bytes.ts'
import type { ListQuery } from '../../lists/list-query.ts'
import type { HookStore } from './hook-store.ts'
import { presentHook } from './present-hook.ts'

/** The columns by which lists of hooks can be sorted, filtered and cut. */
const fields = [
  '_id',
  'domain',
  'event',
  'enable',
  'description',
  'action',
  'fields',
  'map',
  'filter',
  'headers',
  'auth',
  'customBody',
  'rawBody',
  'rawSubstitution',
  'retries',
  'delay',
  'disabledReason',
] as const

/** Lists the hooks of a domain as a caller with these permissions sees them, oldest first, by the rules that every list follows. */
export async function listHooks(
  hooks: Pick<HookStore, 'list'>,
  { domain, acl }: { readonly domain: string; readonly acl: Acl },
  query: ListQuery,
) {
  const stored = await hooks.list(domain)
  const createdAt = new Map(stored.map((hook) => [hook.id, String(hook.createdAt).padStart(15, '0')]))
  const { rows, headers } = applyList(
    stored.map((hook) => presentHook(hook, acl)),
    query,
    {
      id: ({ _id }) => _id,
      fields,
      weight: { of: (_hook, shown) => handedOverBytes(shown), most: mostHandedOver },
      order: ({ _id }) => `${createdAt.get(_id) ?? ''}:${_id}`,
    },
  )
  return { data: rows.map(({ item }) => item), headers }
}
