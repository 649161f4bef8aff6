import type { BlacklistStore } from './blacklist-store.ts'
import { findListed } from './find-listed.ts'
import type { ListedForms } from './number-form.ts'
import { type PresentedEntry, presentEntry } from './present-entry.ts'

/** Returns the entry of a number as a list of one or zero entries. */
export async function readBlacklistNumber(
  blacklists: Pick<BlacklistStore, 'read'>,
  { domain, list, forms }: { readonly domain: string; readonly list: string; readonly forms: ListedForms },
): Promise<PresentedEntry[]> {
  const entry = await findListed(blacklists, { domain, list }, forms)
  return entry === undefined ? [] : [presentEntry(entry)]
}
