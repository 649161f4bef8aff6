import type { BlacklistStore } from './blacklist-store.ts'
import type { Clock } from '../ports.ts'

/** How long a deletion frees room before it answers: a request has 28 s in all. */
const sweepMs = 5_000

/**
 * Removes a list and answers how many entries it had. The list is gone with the first write; the room that its entries
 * take is freed as far as it can be at once. What is left, as when the store refuses now, goes with the next deletion.
 */
export async function deleteBlacklist(
  { blacklists, clock }: { blacklists: Pick<BlacklistStore, 'removeList' | 'sweep'>; clock: Clock },
  { domain, list }: { readonly domain: string; readonly list: string },
  reportUnswept: (error: unknown) => void,
): Promise<number> {
  const removed = await blacklists.removeList(domain, list)
  await blacklists.sweep(domain, clock.now() + sweepMs).catch(reportUnswept)
  return removed
}
