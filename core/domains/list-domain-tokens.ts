import { applyList } from '../requests/apply-list.ts'
import type { ListQuery } from '../requests/list-query.ts'
import type { DomainTokenStore } from './domain-token-store.ts'
import { shownDomainToken } from './domain-token.ts'

/** Returns the tokens of a domain, the oldest first, by the rules that every list follows. None shows its text. */
export async function listDomainTokens(domainTokens: Pick<DomainTokenStore, 'list'>, domain: string, query: ListQuery) {
  const order = ({ createdOn, uuid }: { createdOn: number; uuid: string }) =>
    `${String(createdOn).padStart(16, '0')}:${uuid}`
  const tokens = (await domainTokens.list(domain)).map(shownDomainToken).sort((a, b) => (order(a) < order(b) ? -1 : 1))
  const { rows, headers } = applyList(tokens, query, {
    id: ({ uuid }) => uuid,
    fields: ['uuid', 'expire', 'roleName', 'description', 'createdBy', 'createdOn', 'enabled'],
    order,
  })
  return { tokens: rows.map(({ item }) => item), headers }
}
