import type { BlacklistStore } from '../blacklists/blacklist-store.ts'
import { formOfListed } from '../blacklists/number-form.ts'
import type { Domain } from '../domains/domain.ts'
import type { RoutedCall } from './call-plan.ts'
import type { BlacklistQuestion } from './run-callflow.ts'

/** Returns whether a list of the call's domain has a question's number; by default the caller's number or login. */
export async function askBlacklist(
  blacklists: Pick<BlacklistStore, 'read'>,
  { name: domain, parameters }: Pick<Domain, 'name' | 'parameters'>,
  caller: RoutedCall['caller'],
  { list, number }: BlacklistQuestion,
): Promise<boolean> {
  const asked = number === undefined ? [caller.number, caller.login ?? ''] : [number]
  const forms = asked.flatMap((each) => [formOfListed(each, parameters), formOfListed(each, {})])
  // An entry from before the domain named its country has its plain form.
  const numbers = [...new Set(forms)].filter((each) => /^[0-9+*#A-Za-z]{1,32}$/.test(each))
  const found = await Promise.all(numbers.map((each) => blacklists.read(domain, list, each)))
  return found.some((entry) => entry !== undefined)
}
