import type { BlacklistStore } from './blacklist-store.ts'
import type { Clock } from '../time.ts'

/** The time for which a deletion frees room before it answers: a request has 28 s in all. */
const sweepMs = 5_000

/**
 * Removes a list and returns the number of its entries. The list disappears with the first write; the room of its
 * entries is freed at once as far as possible. The rest, for example when the store refuses, is freed by the next
 * deletion.
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
