import type { BlacklistEntry } from './blacklist-entry.ts'

/** An entry as callers see it. */
export interface PresentedEntry {
  readonly _id: string
  readonly number: string
  /** The name of its list. */
  readonly name: string
  readonly domain: string
  readonly expires?: number
  readonly note?: string
}

/** Shows an entry. Every member is named here, so that no other is revealed. */
export function presentEntry({ id, number, list, domain, expires, note }: BlacklistEntry): PresentedEntry {
  return {
    _id: id,
    number,
    name: list,
    domain,
    ...(expires === undefined ? {} : { expires }),
    ...(note === undefined ? {} : { note }),
  }
}
