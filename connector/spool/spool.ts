import type { DropClass } from './drop-class.ts'
import type { Copy, ReadEvent } from './journal.ts'
import type { SpoolFiles } from './spool-files.ts'
import type { SpooledEvent } from './spool-line.ts'
import type { SpoolOwner } from './spool-owner.ts'

/** Where a spool is, and how much it may hold. */
export interface SpoolPlace {
  /** The folder of all connectors of a machine; each has its own below it. */
  readonly folder: string
  /** Bytes of all files, with those that earlier processes left. */
  readonly bytes: number
  readonly files: SpoolFiles
  readonly owner: SpoolOwner
  /** Told of each owner of before whose events are found. */
  readonly onTaken?: ((owner: string) => void) | undefined
}

/** Events on a disk. Nothing of it ever rejects: what a disk cannot do is counted. */
export interface Spool {
  /** Whether there is a disk at all. */
  readonly isThere: boolean
  /**
   * Makes the events that ended processes left its own, and tells of each folder that was found. They come before what
   * this process puts there, in their order. Resolves when all were found but those that the disk does not show; these
   * are asked for until the spool is closed.
   */
  open(onFound: () => void): Promise<void>
  /** Writes events in order of their numbers, all or none; `undefined` when they were not written. */
  append(events: readonly (SpooledEvent & { readonly dropClass: DropClass })[]): Promise<readonly Copy[] | undefined>
  /** Says that an event that was just written leaves memory, with all after it. */
  leave(copy: Copy): void
  /** Says that an event needs its copy no more. */
  release(copy: Copy): void
  /** Says that an event was given up, so that its copy must not be read by the next process either. */
  erase(copy: Copy): void
  /** Reads the next event that is only on disk. */
  next(): Promise<ReadEvent | undefined>
  /** Resolves when all files that are not needed are removed; nothing is written afterwards. */
  close(): Promise<void>
  /** Events that are only on disk. */
  readonly unread: number
  /** Bytes of all files. */
  readonly bytes: number
  /** When the first event that is only on disk was read from the engine, or earlier; absent when there is none. */
  readonly oldestAt: number | undefined
  readonly counts: {
    /** Events that earlier processes left. */
    readonly found: number
    /** Lines that could not be read, counted as dropped: the end of a file that was being written, or a damaged disk. */
    readonly damaged: number
    /** Times that the disk refused something. */
    readonly failures: number
  }
}

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
