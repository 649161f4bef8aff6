import { couldBeDomain, lowerAscii } from '../access/resolve-domain.ts'
import type { DomainStore } from '../domains/domain-store.ts'

/** A store looks at this many names in one call. Longer texts than can be read in so many ways are not cached. */
const maxNames = 100

/**
 * Whether the engine could take an account's cached record for that of another domain's user. Its cache joins login and
 * domain without a separator, so `1000ac` of `me.example.com` and `1000` of `acme.example.com` share an entry: whoever
 * has the one could register as the other. Domains that are being deleted count, and so does any login that the other
 * domain could have, whether or not it has it.
 */
export async function sharesEntry(
  domains: Pick<DomainStore, 'anyExists'>,
  login: string,
  domain: string,
): Promise<boolean> {
  const names = otherReadings(login, domain)
  return names.length > maxNames || (names.length > 0 && (await domains.anyExists(names)))
}

/** The names that a domain would have if the joined text were split elsewhere; a phone may spell them in any case. */
function otherReadings(login: string, domain: string): string[] {
  const joined = login + domain
  return Array.from(joined, (_, at) => lowerAscii(joined.slice(at))).filter(
    (name, at) => at > 0 && at !== login.length && /^[a-z0-9]/.test(name) && couldBeDomain(name),
  )
}
