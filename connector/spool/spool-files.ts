import { mkdir, open, readdir, readlink, rename, stat, symlink, truncate, unlink, writeFile } from 'node:fs/promises'
import { readPart } from '../runtime/read-part.ts'

/** The disk as a spool uses it. Each method rejects with the system's error when it fails. */
export interface SpoolFiles {
  /** Makes a folder that only this user can enter. Its parent is made too; both may exist. */
  makeFolder(path: string): Promise<void>
  /** The names in a folder; none where there is no folder. */
  list(path: string): Promise<readonly string[]>
  /** Makes a lock file that names its owner, in one step; `false` when there is one. */
  makeLock(path: string, owner: string): Promise<boolean>
  /** Returns the owner that a lock file names; nothing when it is gone. */
  readLock(path: string): Promise<string | undefined>
  /** A file's length in bytes, and when it was last written, epoch milliseconds. */
  look(path: string): Promise<{ readonly size: number; readonly changedAt: number }>
  /** Writes at a file's end, in whole; makes the file, for this user only, where there is none. */
  append(path: string, bytes: Buffer): Promise<void>
  /** Overwrites the bytes at `offset`. */
  overwrite(path: string, offset: number, text: string): Promise<void>
  /** Replaces a file in one step. A process that is killed in the middle leaves a file whose name ends in `.new`. */
  replace(path: string, bytes: Buffer): Promise<void>
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
  // A symbolic link is created together with its target, so no process reads half a name.
  makeLock: (path, owner) => unlessCode('EEXIST', symlink(owner, path)).then((made) => made !== 'EEXIST'),
  readLock: (path) => unlessAbsent(readlink(path)),
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
  replace: async (path, bytes) => {
    await writeFile(`${path}.new`, bytes, { mode: 0o600 })
    await rename(`${path}.new`, path)
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
  const answer = await unlessCode('ENOENT', work)
  return answer === 'ENOENT' ? undefined : answer
}

/** Returns what work makes, or the system's word when it fails with that. */
async function unlessCode<T, Code extends string>(code: Code, work: Promise<T>): Promise<T | Code> {
  try {
    return await work
  } catch (error) {
    if (codeOf(error) === code) return code
    throw error
  }
}
