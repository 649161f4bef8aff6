import type { Acl } from '../../access/acl.ts'
import { applyList } from '../../requests/apply-list.ts'
import { handedOverBytes, mostHandedOver } from '../../requests/json-bytes.ts'
import type { ListQuery } from '../../requests/list-query.ts'
import type { HookStore } from './hook-store.ts'
import { presentHook } from './present-hook.ts'

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

/** Lists the hooks of a domain as these permissions show them, oldest first, by the rules of every list. */
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
