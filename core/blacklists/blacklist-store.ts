import type { BlacklistEntry } from './blacklist-entry.ts'

/** How an addition to a blacklist ended. */
export type BlacklistAddition = 'added' | 'exists' | 'list_full' | 'lists_full'

/** Which entries of a blacklist a page shows, by number. */
export interface BlacklistPage {
  /** Only entries behind this number, in the direction of the page. */
  readonly after?: string | undefined
  /** Entries passed over first. */
  readonly skip: number
  readonly limit: number
  /** 1: ascending numbers; -1: descending. */
  readonly direction: 1 | -1
}

/**
 * The blacklists of the tenants. A list is there while it holds an entry. An entry whose time is over counts for
 * nothing: it is not read, not counted and does not keep its list.
 */
export interface BlacklistStore {
  /**
   * Adds an entry unless its number is in the list already, and makes the list with its first one. A repetition of the
   * same addition (of the same id) answers `added` and changes nothing. The limits are the most entries of a list and
   * the most lists of a domain; they hold exactly, whoever else writes.
   */
  add(entry: BlacklistEntry, limits: { readonly entries: number; readonly lists: number }): Promise<BlacklistAddition>
  read(domain: string, list: string, number: string): Promise<BlacklistEntry | undefined>
  /** The names of the domain's lists, in the order of their code units. */
  names(domain: string): Promise<string[]>
  /** Entries of a list by number, and whether there are more behind them. */
  page(
    domain: string,
    list: string,
    page: BlacklistPage,
  ): Promise<{ readonly entries: readonly BlacklistEntry[]; readonly more: boolean }>
  /** Every entry of a list by number. */
  entries(domain: string, list: string): Promise<BlacklistEntry[]>
  /** Removes one entry; `false` when it is not there. */
  remove(domain: string, list: string, number: string): Promise<boolean>
  /** Removes a list at once, however long it is, and answers how many entries it had. */
  removeList(domain: string, list: string): Promise<number>
  /**
   * Frees the room that removed lists of the domain still take, until it is done or the time is over (`until`, epoch
   * milliseconds). Answers whether all of it is free.
   */
  sweep(domain: string, until: number): Promise<boolean>
}
