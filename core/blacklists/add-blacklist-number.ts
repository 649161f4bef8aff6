import { DomainError, invalidField } from '../errors.ts'
import { newRecordId } from '../record-id.ts'
import type { BlacklistStore } from './blacklist-store.ts'
import { findListed } from './find-listed.ts'
import type { ListedForms } from './number-form.ts'
import { isSafeName, unsafeName } from '../requests/safe-text.ts'
import type { Clock, Randomness } from '../time.ts'

const blacklistLimits = { entries: 100_000, lists: 200 } as const

/** The longest number in the form in which it is kept. */
const longest = 32

/** The inputs of an addition. */
export interface BlacklistContext {
  readonly blacklists: Pick<BlacklistStore, 'add' | 'read'>
  readonly clock: Clock
  readonly random: Randomness
}

/** A number to add; its syntax has been checked. */
export interface BlacklistInput {
  readonly forms: ListedForms
  /** Epoch milliseconds. */
  readonly expires?: number | undefined
  readonly note?: string | undefined
}

/**
 * Adds a number to a list; the first number creates the list. Returns whether it was new: an existing entry stays
 * unchanged, in whatever form it has the number. Throws `invalid_field` for a name that is not safe, a number that is
 * too long and an expiry in the past, and `conflict` when list or domain is full.
 */
export async function addBlacklistNumber(
  { blacklists, clock, random }: BlacklistContext,
  { domain, list }: { readonly domain: string; readonly list: string },
  { forms: [number, ...others], expires, note }: BlacklistInput,
): Promise<boolean> {
  if (!isSafeName(list)) throw unsafeName('blacklist_name')
  if (number.length > longest) throw invalidField('number', `must have at most ${longest} characters with its country`)
  const createdAt = clock.now()
  if (expires !== undefined && expires <= createdAt) throw invalidField('expires', 'must lie in the future')
  if ((await findListed(blacklists, { domain, list, forms: others })) !== undefined) return false
  const entry = { id: newRecordId(random), domain, list, number, expires, note, createdAt }
  const end = await blacklists.add(entry, blacklistLimits)
  if (end === 'list_full') {
    throw new DomainError('conflict', `a blacklist has at most ${blacklistLimits.entries} numbers`)
  }
  if (end === 'lists_full')
    throw new DomainError('conflict', `a domain has at most ${blacklistLimits.lists} blacklists`)
  return end === 'added'
}
