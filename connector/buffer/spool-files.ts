import { createReadStream } from 'node:fs'
import { appendFile, stat, truncate } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { type LockFiles, type LockOwner, systemLockFiles } from '../../adapters/system/folder-lock.ts'
import { isRunning, processIdentity } from '../../adapters/system/process-identity.ts'

/** Bytes of one read of the system. */
const highWaterMark = 1024 * 1024

/** The disk as the event buffer uses it. Each method rejects with the system's error when it fails. */
export interface SpoolFiles extends LockFiles {
  /** A file's length in bytes, and when it was last written, epoch milliseconds. */
  look(path: string): Promise<{ readonly size: number; readonly changedAt: number }>
  /** Writes at a file's end, in whole; makes the file, for this user only, where there is none. */
  append(path: string, bytes: Buffer): Promise<void>
  truncate(path: string, size: number): Promise<void>
  /** Up to `length` bytes from `offset`; fewer only at the end of the file. */
  read(path: string, offset: number, length: number): Promise<Buffer>
}

/** The process's own disk. Nothing is forced out of the system's memory: that outlives a killed process. */
export const systemSpoolFiles: SpoolFiles = {
  ...systemLockFiles,
  look: async (path) => {
    const { size, mtimeMs } = await stat(path)
    return { size, changedAt: Math.floor(mtimeMs) }
  },
  append: (path, bytes) => appendFile(path, bytes, { mode: 0o600 }),
  truncate: (path, size) => truncate(path, size),
  read: async (path, offset, length) =>
    length === 0
      ? Buffer.of()
      : buffer(createReadStream(path, { start: offset, end: offset + length - 1, highWaterMark })),
}

/** Returns the system's word for what went wrong, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Returns this process, which is known again by its identity ({@link processIdentity}). */
export function processOwner(): LockOwner {
  return {
    name: processIdentity(process.pid) ?? String(process.pid),
    // The first process of a container always has the same id.
    isAlive: (other) => other.split('-')[0] !== String(process.pid) && isRunning(other),
  }
}
