import type { LockOwner } from '../../adapters/system/folder-lock.ts'
import type { DiskSpool } from './disk-spool.ts'
import type { SpoolFiles } from './spool-files.ts'

/** Where a spool is, and how much it may hold. */
export interface SpoolPlace {
  /** A folder that one process uses at a time. */
  readonly folder: string
  /** Bytes of all files, with those that earlier processes left. */
  readonly bytes: number
  readonly files: SpoolFiles
  readonly owner: LockOwner
  /** Called with the process whose folder was taken over. */
  readonly onTaken?: ((owner: string) => void) | undefined
}

/** Events on a disk, or nowhere. */
export type Spool = Pick<DiskSpool, keyof DiskSpool>

/** A disk that takes nothing and holds nothing. */
export const noSpool: Spool = {
  isThere: false,
  isSearching: false,
  chunkBytes: 0,
  open: async () => {},
  append: async () => undefined,
  hasMoreImportant: () => false,
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
