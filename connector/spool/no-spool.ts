import type { Spool } from './spool.ts'

/** A disk that takes nothing and holds nothing. */
export const noSpool: Spool = {
  isThere: false,
  open: async () => {},
  append: async () => undefined,
  leave: () => {},
  release: () => {},
  erase: () => {},
  next: async () => undefined,
  close: async () => {},
  unread: 0,
  bytes: 0,
  oldestAt: undefined,
  counts: { found: 0, damaged: 0, failures: 0 },
}
