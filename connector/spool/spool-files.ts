import { mkdir, open, readdir, rename, rmdir, stat, truncate, unlink } from 'node:fs/promises'
import { readPart } from '../read-part.ts'

/** What a spool asks of a disk. Each rejects with the system's error when it cannot be done. */
export interface SpoolFiles {
  /** Makes a folder that only this user can enter. Its parent is made too; both may exist. */
  makeFolder(path: string): Promise<void>
  /** The names in a folder; none where there is no folder. */
  list(path: string): Promise<readonly string[]>
  /** Gives a folder another name; `false` when it is gone. */
  rename(from: string, to: string): Promise<boolean>
  /** Removes an empty folder. */
  removeFolder(path: string): Promise<void>
  /** A file's length in bytes, and when it was last written, epoch milliseconds. */
  look(path: string): Promise<{ readonly size: number; readonly changedAt: number }>
  /** Writes at a file's end, in whole; makes the file, for this user only, where there is none. */
  append(path: string, bytes: Buffer): Promise<void>
  /** Puts other bytes in the place of those at `offset`. */
  overwrite(path: string, offset: number, text: string): Promise<void>
  /** Cuts a file's end off. */
  truncate(path: string, size: number): Promise<void>
  /** Up to `length` bytes from `offset`; fewer only at the end of the file. */
  read(path: string, offset: number, length: number): Promise<Buffer>
  /** Removes a file. */
  remove(path: string): Promise<void>
}

/** The process's own disk. Nothing is forced out of the system's memory: that outlives a killed process. */
export const systemSpoolFiles: SpoolFiles = {
  makeFolder: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o700 })
  },
  list: async (path) => (await unlessAbsent(readdir(path))) ?? [],
  rename: async (from, to) => (await unlessAbsent(rename(from, to).then(() => true))) ?? false,
  removeFolder: (path) => rmdir(path),
  look: async (path) => {
    const { size, mtimeMs } = await stat(path)
    return { size, changedAt: Math.floor(mtimeMs) }
  },
  append: async (path, bytes) => {
    const file = await open(path, 'a', 0o600)
    try {
      await file.appendFile(bytes)
    } finally {
      await file.close()
    }
  },
  overwrite: async (path, offset, text) => {
    const file = await open(path, 'r+')
    try {
      await file.write(text, offset)
    } finally {
      await file.close()
    }
  },
  truncate: (path, size) => truncate(path, size),
  read: async (path, offset, length) => {
    const file = await open(path, 'r')
    try {
      return await readPart(file, offset, length)
    } finally {
      await file.close()
    }
  },
  remove: (path) => unlink(path),
}

/** The system's word for what went wrong, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

async function unlessAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
