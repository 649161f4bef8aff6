import { askOpenSearch } from '../../adapters/opensearch/client.ts'
import { systemClock } from '../../adapters/system/system-clock.ts'

/** Removes every CDR of a domain from the search store that an environment names, the embedded one or a real one. */
export async function emptySearch(env: Readonly<Record<string, string>>, domain: string): Promise<void> {
  const query = { ignore_unavailable: 'true', allow_no_indices: 'true' }
  const call = async (operation: string, given: { query: Record<string, string>; body?: string }) => {
    const path = `/cdr-*/${operation}`
    const answer = await askOpenSearch(
      { env, clock: systemClock },
      { method: 'POST', path, timeoutMs: 30_000, ...given },
    )
    if (answer.status !== 200) throw new Error(`${operation} was answered with ${answer.status}`)
  }
  await call('_refresh', { query })
  const body = JSON.stringify({ query: { bool: { filter: [{ term: { domain_name: { value: domain } } }] } } })
  await call('_delete_by_query', { query: { ...query, routing: domain, refresh: 'true' }, body })
}
