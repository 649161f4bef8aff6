import * as z from 'zod/mini'
import { joinKey } from './key.ts'

/**
 * A list as it is stored. Its entries lie in a partition of their own that the `generation` names: with this item all of
 * them are out of sight at once, and a list made anew under the name begins empty.
 */
export const listItem = z.object({
  name: z.string(),
  generation: z.string(),
  /** Entries in the partition, those included whose time is over. */
  entries: z.number(),
  /** How many of them have an end. */
  ending: z.number(),
  /** The latest end that any entry ever had; 0 where none had one. */
  latestEnd: z.number(),
  /** Rises with every write to the list. */
  revision: z.number(),
})

/** See {@link listItem}. */
export type StoredList = z.infer<typeof listItem>

/** An entry as it is stored. */
export const entryItem = z.object({
  id: z.string(),
  domain: z.string(),
  list: z.string(),
  number: z.string(),
  expires: z.optional(z.number()),
  note: z.optional(z.string()),
  createdAt: z.number(),
})

/** A partition of entries. `removed`: its list is gone, and its entries are to go. */
export const generationItem = z.object({ generation: z.string(), removed: z.boolean() })

/** The partition of a domain's lists. */
export function listPartition(domain: string): string {
  return joinKey('lists', domain)
}

/** Where a list is stored. */
export function listKey(domain: string, list: string) {
  return { pk: listPartition(domain), sk: joinKey(list) }
}

/** Where the number of a domain's lists is stored. */
export function listCountKey(domain: string) {
  return { pk: joinKey('count', domain), sk: 'count' }
}

/** The partition that names every partition of a domain's entries. */
export function generationsPartition(domain: string): string {
  return joinKey('generations', domain)
}

/** Where the name of a partition of entries is stored. */
export function generationKey(domain: string, generation: string) {
  return { pk: generationsPartition(domain), sk: joinKey(generation) }
}

/** The partition of a list's entries. */
export function entryPartition(domain: string, generation: string): string {
  return joinKey('entries', domain, generation)
}

/** Where an entry is stored: numbers are ASCII, so that the order of keys is theirs. */
export function entryKey(domain: string, generation: string, number: string) {
  return { pk: entryPartition(domain, generation), sk: joinKey(number) }
}
