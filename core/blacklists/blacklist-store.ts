import type { BlacklistEntry } from './blacklist-entry.ts'

/** The result of an addition to a blacklist. */
export type BlacklistAddition = 'added' | 'exists' | 'list_full' | 'lists_full'

/** The part of a blacklist that a page shows, ordered by number. */
export interface BlacklistPage {
  /** Only entries after this number, in the direction of the page. */
  readonly after?: string | undefined
  readonly skip: number
  readonly limit: number
  /** 1: ascending numbers; -1: descending. */
  readonly direction: 1 | -1
}

/**
 * The blacklists of the tenants. A list exists while it has an entry. An expired entry counts for nothing: it is not
 * read, not counted and does not keep its list.
 */
export interface BlacklistStore {
  /**
   * Adds an entry unless its number is in the list already, and creates the list with the first one. A repetition of
   * the same addition (with the same id) answers `added` and changes nothing. The limits are the most entries of a list
   * and the most lists of a domain; they hold exactly, also with concurrent writes.
   */
  add(entry: BlacklistEntry, limits: { readonly entries: number; readonly lists: number }): Promise<BlacklistAddition>
  read(domain: string, list: string, number: string): Promise<BlacklistEntry | undefined>
  /** Lists the names of the domain's lists, in the order of their code units. */
  names(domain: string): Promise<string[]>
  page(
    domain: string,
    list: string,
    page: BlacklistPage,
  ): Promise<{ readonly entries: readonly BlacklistEntry[]; readonly more: boolean }>
  /** Returns every entry of a list by number. */
  entries(domain: string, list: string): Promise<BlacklistEntry[]>
  /** Removes one entry; returns `false` if it does not exist. */
  remove(domain: string, list: string, number: string): Promise<boolean>
  /** Removes a list at once, however long it is, and returns the number of its entries. */
  removeList(domain: string, list: string): Promise<number>
  /**
   * Frees the room that removed lists of the domain still take, until it is done or until `until` (epoch milliseconds).
   * Returns whether all of it is free.
   */
  sweep(domain: string, until: number): Promise<boolean>
}
