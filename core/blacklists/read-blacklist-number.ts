import type { BlacklistStore } from './blacklist-store.ts'
import { type PresentedEntry, presentEntry } from './present-entry.ts'

/** Returns the entry of a number as a list of one or zero entries. */
export async function readBlacklistNumber(
  blacklists: Pick<BlacklistStore, 'read'>,
  { domain, list, number }: { readonly domain: string; readonly list: string; readonly number: string },
): Promise<PresentedEntry[]> {
  const entry = await blacklists.read(domain, list, number)
  return entry === undefined ? [] : [presentEntry(entry)]
}
