import { type FileHandle, open, stat, truncate } from 'node:fs/promises'
import { type LockFiles, type LockOwner, systemLockFiles } from '../../adapters/system/folder-lock.ts'
import { isRunning, processIdentity } from '../../adapters/system/process-identity.ts'

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
  append: async (path, bytes) => {
    const file = await open(path, 'a', 0o600)
    try {
      await file.appendFile(bytes)
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

/** Returns the bytes of an open file from an offset on: `length` of them, or as many as there are before its end. */
export async function readPart(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
