import { openSearchClient } from '../../../adapters/aws/opensearch-client.ts'

/** Removes every CDR of a domain from the search store that an environment names, the embedded one or a real one. */
export async function emptySearch(env: Readonly<Record<string, string>>, domain: string): Promise<void> {
  const all = { index: 'cdr-*', ignore_unavailable: true, allow_no_indices: true }
  const client = openSearchClient({ env })
  await client.indices.refresh(all)
  const query = { bool: { filter: [{ term: { domain_name: { value: domain } } }] } }
  await client.deleteByQuery({ ...all, routing: domain, refresh: true, body: { query } }, { requestTimeout: 30_000 })
}
