import type { BlacklistEntry } from './blacklist-entry.ts'
import type { BlacklistStore } from './blacklist-store.ts'

/** Returns the entry that a list has in one of the forms of a number. */
export async function findListed(
  blacklists: Pick<BlacklistStore, 'read'>,
  { domain, list, forms }: { readonly domain: string; readonly list: string; readonly forms: readonly string[] },
): Promise<BlacklistEntry | undefined> {
  const found = await Promise.all(forms.map((form) => blacklists.read(domain, list, form)))
  return found.find((entry) => entry !== undefined)
}
