import { DomainError, invalidField } from '../errors.ts'
import { newRecordId } from '../record-id.ts'
import type { BlacklistStore } from './blacklist-store.ts'
import type { Clock, Randomness } from '../ports.ts'

/** The most of both that a domain may have. */
const blacklistLimits = { entries: 100_000, lists: 200 } as const

/** What an addition is made with. */
export interface BlacklistContext {
  readonly blacklists: Pick<BlacklistStore, 'add'>
  readonly clock: Clock
  readonly random: Randomness
}

/** A number to be added; its syntax has been checked. */
export interface BlacklistInput {
  readonly number: string
  /** Epoch milliseconds. */
  readonly expires?: number | undefined
  readonly note?: string | undefined
}

/**
 * Adds a number to a list, which its first number makes. Answers whether it was new: an entry that is there stays as it
 * is. Throws `invalid_field` for an end that has passed, and `conflict` when list or domain is full.
 */
export async function addBlacklistNumber(
  { blacklists, clock, random }: BlacklistContext,
  { domain, list }: { readonly domain: string; readonly list: string },
  { number, expires, note }: BlacklistInput,
): Promise<boolean> {
  const createdAt = clock.now()
  if (expires !== undefined && expires <= createdAt) throw invalidField('expires', 'must lie in the future')
  const entry = { id: newRecordId(random), domain, list, number, expires, note, createdAt }
  const end = await blacklists.add(entry, blacklistLimits)
  if (end === 'list_full') {
    throw new DomainError('conflict', `a blacklist has at most ${blacklistLimits.entries} numbers`)
  }
  if (end === 'lists_full')
    throw new DomainError('conflict', `a domain has at most ${blacklistLimits.lists} blacklists`)
  return end === 'added'
}
