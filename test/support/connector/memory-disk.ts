import type { SpoolFiles } from '../../../connector/buffer/spool-files.ts'
import type { LockOwner } from '../../../adapters/system/folder-lock.ts'

/** A disk in memory that outlives the process that writes to it, and fails when a test says so. */
export interface MemoryDisk extends SpoolFiles {
  /** Every file by its path. */
  readonly contents: Map<string, Buffer>
  /** Bytes that the disk holds at most. A write that does not fit leaves as much as does. */
  room: number
  /** Refuses everything that changes something. */
  isReadOnly: boolean
  /** How often something was written. */
  readonly writes: number
  /** Bytes of all files. */
  used(): number
  /** Asked before each write; the write goes on when it resolves. */
  beforeWrite: () => Promise<void>
}

/** An empty disk with all the room that there is. */
export function memoryDisk(): MemoryDisk {
  const contents = new Map<string, Buffer>()
  const locks = new Map<string, string>()
  let writes = 0
  const used = () => [...contents.values()].reduce((sum, { length }) => sum + length, 0)
  const file = (path: string) => {
    const found = contents.get(path)
    if (found === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' })
    return found
  }
  const change = () => {
    if (disk.isReadOnly) throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' })
  }
  const disk: MemoryDisk = {
    contents,
    room: Infinity,
    isReadOnly: false,
    beforeWrite: async () => {},
    get writes() {
      return writes
    },
    used,
    makeFolder: async () => change(),
    list: async (folder) => [
      ...new Set(
        [...contents.keys(), ...locks.keys()].flatMap((path) =>
          path.startsWith(`${folder}/`) ? (path.slice(folder.length + 1).split('/')[0] ?? []) : [],
        ),
      ),
    ],
    makeLock: async (path, owner) => {
      change()
      if (locks.has(path)) return false
      locks.set(path, owner)
      return true
    },
    readLock: async (path) => locks.get(path),
    look: async (path) => ({ size: file(path).length, changedAt: 0 }),
    append: async (path, bytes) => {
      await disk.beforeWrite()
      change()
      writes += 1
      const fitting = bytes.subarray(0, Math.max(0, disk.room - used()))
      contents.set(path, Buffer.concat([contents.get(path) ?? Buffer.alloc(0), fitting]))
      if (fitting.length < bytes.length) {
        throw noSpace()
      }
    },
    truncate: async (path, size) => {
      change()
      contents.set(path, file(path).subarray(0, size))
    },
    read: async (path, offset, length) => Buffer.from(file(path).subarray(offset, offset + length)),
    remove: async (path) => {
      change()
      if (locks.delete(path)) return
      file(path)
      contents.delete(path)
    },
  }
  return disk
}

function noSpace(): Error {
  return Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
}

/** Processes by name, of which those in `alive` run. */
export function spoolOwner(name: string, alive: ReadonlySet<string> = new Set()): LockOwner {
  return { name, isAlive: (other) => other !== name && alive.has(other) }
}
