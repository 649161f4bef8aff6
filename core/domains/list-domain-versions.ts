import { applyList } from '../requests/apply-list.ts'
import type { ListQuery } from '../requests/list-query.ts'
import { shownDomainVersion } from './domain-version.ts'
import type { DomainVersionStore } from './domain-version-store.ts'

const highest = 1_000_000_000

/** Lists the versions of a domain without their documents, the newest first, by the rules that every list follows. */
export async function listDomainVersions(
  domainVersions: Pick<DomainVersionStore, 'list'>,
  domain: string,
  query: ListQuery,
) {
  const versions = (await domainVersions.list(domain)).map(shownDomainVersion)
  const { rows, headers } = applyList(versions, query, {
    id: ({ version }) => String(version),
    fields: ['version', 'comment', 'createdBy', 'createdOn', 'bytes'],
    order: ({ version }) => String(highest - version).padStart(10, '0'),
  })
  return { versions: rows.map(({ item }) => item), headers }
}
