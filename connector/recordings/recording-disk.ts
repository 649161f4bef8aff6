import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readFile, readdir, realpath, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FileRefused } from './mapped-path.ts'
import { readPart } from '../runtime/read-part.ts'

/** Identifies one content of a file. */
export interface FileVersion {
  /** Bytes. */
  readonly size: number
  /** When it was last written, epoch milliseconds. */
  readonly changedAt: number
}

/** A file that is being read. */
export interface OpenFile extends FileVersion {
  /** Up to `length` bytes from `offset`; fewer only at the end of the file. */
  read(offset: number, length: number): Promise<Buffer>
  /** How it is now. */
  look(): Promise<FileVersion>
  close(): Promise<void>
}

/** The folder with the engines' recordings, where the connector keeps its notes as well. */
export interface RecordingDisk {
  /**
   * Opens a file by the pieces of its path; nothing when it is not there. Throws {@link FileRefused} for what is no plain file
   * and for a path that a symbolic link is part of.
   */
  open(pieces: readonly string[]): Promise<OpenFile | undefined>
  /** How a file is; nothing when it is not there. */
  look(pieces: readonly string[]): Promise<FileVersion | undefined>
  /** Removes a file; one that is not there is removed already. */
  remove(pieces: readonly string[]): Promise<void>
  /** The names of all notes. */
  listNotes(): Promise<readonly string[]>
  /** The text of a note; nothing when it is not there. */
  readNote(name: string): Promise<string | undefined>
  /** Writes a note; it shows when it is whole. */
  writeNote(name: string, text: string): Promise<void>
  removeNote(name: string): Promise<void>
}

/** The folder of the notes. The path of a recording never leads there: none of its pieces begins with a dot. */
const notesFolder = '.callplane'

/** The name of a note while it is written; one that is so old was left by a process that was killed. */
const draftEnding = '.draft'
const oldDraftMs = 3_600_000

/** Returns the folder at `root`, on the process's own disk or a mounted one. */
export function recordingDisk(root: string): RecordingDisk {
  const notes = join(root, notesFolder)
  const pathOf = async (pieces: readonly string[]) => {
    const path = join(await realpath(root), ...pieces)
    if ((await realpath(path)) !== path) throw new FileRefused('outside the folder')
    return path
  }

  return {
    open: (pieces) => unlessAbsent(async () => opened(await pathOf(pieces))),
    look: (pieces) => unlessAbsent(async () => versionOf(await lstat(await pathOf(pieces)))),
    remove: async (pieces) => {
      await unlessAbsent(async () => unlink(await pathOf(pieces)))
    },
    listNotes: async () => {
      const names = (await unlessAbsent(() => readdir(notes))) ?? []
      for (const draft of names.filter((name) => name.endsWith(draftEnding))) await removeOld(join(notes, draft))
      return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length))
    },
    readNote: (name) => unlessAbsent(() => readFile(join(notes, `${name}.json`), 'utf8')),
    writeNote: async (name, text) => {
      await mkdir(notes, { recursive: true, mode: 0o700 })
      const draft = join(notes, `${name}.${randomUUID()}${draftEnding}`)
      await writeFile(draft, text, { mode: 0o600 })
      await rename(draft, join(notes, `${name}.json`))
    },
    removeNote: async (name) => {
      await unlessAbsent(() => unlink(join(notes, `${name}.json`)))
    },
  }
}

/** Opens a file and makes sure that it is the one that the path leads to, also while somebody else moves links. */
async function opened(path: string): Promise<OpenFile> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const held = await file.stat()
    const there = await stat(path)
    if (!held.isFile()) throw new FileRefused('not a file')
    if (held.ino !== there.ino || held.dev !== there.dev || (await realpath(path)) !== path) {
      throw new FileRefused('outside the folder')
    }
    return {
      ...versionOf(held),
      read: (offset, length) => readPart(file, offset, length),
      look: async () => versionOf(await file.stat()),
      close: () => file.close(),
    }
  } catch (problem) {
    await file.close()
    throw problem
  }
}

async function removeOld(path: string): Promise<void> {
  await unlessAbsent(async () => {
    const { mtimeMs } = await lstat(path)
    // The disk's clock and this one may differ by minutes, not by an hour.
    if (mtimeMs < Date.now() - oldDraftMs) await unlink(path)
  })
}

function versionOf({ size, mtimeMs }: { readonly size: number; readonly mtimeMs: number }): FileVersion {
  return { size, changedAt: Math.floor(mtimeMs) }
}

async function unlessAbsent<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'ELOOP') throw new FileRefused('outside the folder')
    throw error
  }
}
