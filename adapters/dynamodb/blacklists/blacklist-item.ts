import * as z from 'zod/mini'
import { joinKey } from '../key.ts'

/**
 * A stored list. Its entries are in a partition of their own, named by `generation`: removing this item hides all of
 * them at once, and a new list of the same name starts empty.
 */
export const listItem = z.object({
  name: z.string(),
  generation: z.string(),
  /** Entries in the partition, those included whose time is over. */
  entries: z.number(),
  ending: z.number(),
  /** The latest end that any entry ever had; 0 where none had one. */
  latestEnd: z.number(),
  revision: z.number(),
})

/** See {@link listItem}. */
export type StoredList = z.infer<typeof listItem>

/** A stored entry. */
export const entryItem = z.object({
  id: z.string(),
  domain: z.string(),
  list: z.string(),
  number: z.string(),
  expires: z.optional(z.number()),
  note: z.optional(z.string()),
  createdAt: z.number(),
})

/** A partition of entries. `removed`: its list was removed, and its entries must be. */
export const generationItem = z.object({ generation: z.string(), removed: z.boolean() })

/** Returns the partition of a domain's lists. */
export function listPartition(domain: string): string {
  return joinKey('lists', domain)
}

/** Returns the key of a list. */
export function listKey(domain: string, list: string) {
  return { pk: listPartition(domain), sk: joinKey(list) }
}

/** Returns the key of the number of a domain's lists. */
export function listCountKey(domain: string) {
  return { pk: joinKey('count', domain), sk: 'count' }
}

/** Returns the partition that names every partition of a domain's entries. */
export function generationsPartition(domain: string): string {
  return joinKey('generations', domain)
}

/** Returns the key of the name of a partition of entries. */
export function generationKey(domain: string, generation: string) {
  return { pk: generationsPartition(domain), sk: joinKey(generation) }
}

/** Returns the partition of a list's entries. */
export function entryPartition(domain: string, generation: string): string {
  return joinKey('entries', domain, generation)
}

/** Returns the key of an entry: numbers are ASCII, so that the keys sort like the numbers. */
export function entryKey(domain: string, generation: string, number: string) {
  return { pk: entryPartition(domain, generation), sk: joinKey(number) }
}
