import { FileRefused } from '../../../connector/recordings/mapped-path.ts'
import type { FileVersion, OpenFile, RecordingDisk } from '../../../connector/recordings/recording-disk.ts'
import type { Clock } from '../../../core/time.ts'

/** A file of the memory disk. */
interface MemoryFile extends FileVersion {
  readonly bytes: Buffer
}

/** A folder of recordings in memory, so that tests under virtual time wait for no real disk. */
export interface MemoryRecordingDisk extends RecordingDisk {
  /** The files by their path, pieces joined by slashes; notes are apart. */
  readonly files: ReadonlyMap<string, MemoryFile>
  /** The texts of the notes by their name. */
  readonly notes: ReadonlyMap<string, string>
  /** Writes a file, as an engine does. */
  write(path: string, bytes: Buffer): void
  /** Makes a symbolic link of a path: what is it, or lies under it, is refused. */
  link(path: string): void
}

/** Makes an empty disk. It behaves as {@link RecordingDisk} promises, held to the real one by a shared suite. */
export function memoryRecordingDisk(clock: Clock): MemoryRecordingDisk {
  const files = new Map<string, MemoryFile>()
  const notes = new Map<string, string>()
  const links = new Set<string>()

  const refuseLinks = (pieces: readonly string[]): string => {
    const paths = pieces.map((_, index) => pieces.slice(0, index + 1).join('/'))
    if (pieces.includes('..') || paths.some((path) => links.has(path))) throw new FileRefused('outside the folder')
    return pieces.join('/')
  }
  const isFolder = (path: string) => Array.from(files.keys()).some((name) => name.startsWith(`${path}/`))
  const versionOf = ({ size, changedAt }: FileVersion): FileVersion => ({ size, changedAt })

  return {
    files,
    notes,
    write: (path, bytes) => void files.set(path, { bytes, size: bytes.length, changedAt: clock.now() }),
    link: (path) => void links.add(path),
    open: async (pieces) => {
      const path = refuseLinks(pieces)
      if (isFolder(path)) throw new FileRefused('not a file')
      const held = files.get(path)
      return held && openedFile(held, () => versionOf(files.get(path) ?? held))
    },
    look: async (pieces) => {
      const found = files.get(refuseLinks(pieces))
      return found && versionOf(found)
    },
    remove: async (pieces) => void files.delete(refuseLinks(pieces)),
    listNotes: async () => [...notes.keys()],
    readNote: async (name) => notes.get(name),
    writeNote: async (name, text) => void notes.set(name, text),
    removeNote: async (name) => void notes.delete(name),
  }
}

/** An open file shows what is written to it meanwhile, and goes on after its removal, as on a real disk. */
function openedFile(held: MemoryFile, look: () => FileVersion): OpenFile {
  return {
    size: held.size,
    changedAt: held.changedAt,
    read: async (offset, length) => Buffer.from(held.bytes.subarray(offset, offset + length)),
    look: async () => look(),
    close: async () => {},
  }
}
