import type { BlacklistStore } from '../blacklists/blacklist-store.ts'
import { findListed } from '../blacklists/find-listed.ts'
import { formsOfListed } from '../blacklists/number-form.ts'
import type { Domain } from '../domains/domain.ts'
import type { RoutedCall } from './call-plan.ts'
import type { BlacklistQuestion } from './run-callflow.ts'

/** What a list can have: 32 characters, and the country before them in lists from before that was refused. */
const listed = /^[0-9+*#A-Za-z]{1,36}$/

/** Returns whether a list of the call's domain has a question's number; by default the caller's number or login. */
export async function askBlacklist(
  blacklists: Pick<BlacklistStore, 'read'>,
  { name: domain, parameters }: Pick<Domain, 'name' | 'parameters'>,
  caller: RoutedCall['caller'],
  { list, number }: BlacklistQuestion,
): Promise<boolean> {
  const asked = number === undefined ? [caller.number, caller.login ?? ''] : [number]
  const forms = new Set(asked.flatMap((each) => formsOfListed(each, parameters)))
  const numbers = [...forms].filter((each) => listed.test(each))
  return (await findListed(blacklists, { domain, list, forms: numbers })) !== undefined
}
