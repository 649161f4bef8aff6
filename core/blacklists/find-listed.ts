import type { BlacklistEntry } from './blacklist-entry.ts'
import type { BlacklistStore } from './blacklist-store.ts'

/** Returns the entry of a list in the first of the forms that it has. */
export async function findListed(
  blacklists: Pick<BlacklistStore, 'read'>,
  { domain, list }: { readonly domain: string; readonly list: string },
  forms: readonly string[],
): Promise<BlacklistEntry | undefined> {
  const found = await Promise.all(forms.map((form) => blacklists.read(domain, list, form)))
  return found.find((entry) => entry !== undefined)
}
