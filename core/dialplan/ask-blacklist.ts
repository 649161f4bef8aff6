import type { BlacklistStore } from '../blacklists/blacklist-store.ts'
import type { RoutedCall } from './call-plan.ts'
import type { BlacklistQuestion } from './run-callflow.ts'

/** Returns whether a list of the call's domain has the number of a question; without one, the caller's number or login. */
export async function askBlacklist(
  blacklists: Pick<BlacklistStore, 'read'>,
  { domain, caller }: Pick<RoutedCall, 'domain' | 'caller'>,
  { list, number }: BlacklistQuestion,
): Promise<boolean> {
  const asked = number === undefined ? [caller.number, caller.login ?? ''] : [number]
  const numbers = [...new Set(asked.map(storedForm))].filter((each) => /^[0-9+*#A-Za-z]{1,32}$/.test(each))
  const found = await Promise.all(numbers.map((each) => blacklists.read(domain, list, each)))
  return found.some((entry) => entry !== undefined)
}

/** The form in which blacklists store numbers. */
function storedForm(number: string): string {
  return number.replaceAll(/[\s().-]/g, '')
}
