import type { BlacklistStore } from './blacklist-store.ts'
import type { ListedForms } from './number-form.ts'

/** Removes a number in every form that the list has, and returns the number of its entries. */
export async function removeBlacklistNumber(
  blacklists: Pick<BlacklistStore, 'remove'>,
  { domain, list, forms }: { readonly domain: string; readonly list: string; readonly forms: ListedForms },
): Promise<number> {
  const removed = await Promise.all(forms.map((form) => blacklists.remove(domain, list, form)))
  return removed.filter(Boolean).length
}
