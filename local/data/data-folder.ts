import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { PlainError } from '@callplane/laptop'

/** The folder that holds all state of a run; only its owner can read it. */
export interface DataFolder {
  readonly path: string
  file(name: string): string
  read(name: string): string | undefined
  /** Writes a file that only its owner can read, all of it or nothing. */
  write(name: string, contents: string | Buffer): void
  readOrMake(name: string, make: () => string): { readonly value: string; readonly made: boolean }
  /** Throws a plain sentence when a file is missing that is there whenever the folder has data. */
  requireWithData(name: string): void
}

/** What only a platform leaves whose stores were all there. */
const marks = ['demo-accounts.json', 'objects', 'queues-running', 'queues.json']

/** Opens the folder, and creates a missing one. Throws a plain sentence when it cannot be used. */
export function openDataFolder(path: string): DataFolder {
  prepare(path)
  const file = (name: string): string => join(path, name)
  const read = (name: string): string | undefined =>
    existsSync(file(name)) ? readFileSync(file(name), 'utf8') : undefined
  const write = (name: string, contents: string | Buffer): void => writePrivately(file(name), contents)
  return {
    path,
    file,
    read,
    write,
    readOrMake(name, make) {
      const known = read(name)?.trim()
      // After a crash a file may be there without its content.
      if (known !== undefined && !/^[^\p{Cc}\ufffd]+$/u.test(known)) throw damaged(file(name))
      if (known !== undefined) return { value: known, made: false }
      const value = make()
      write(name, `${value}\n`)
      return { value, made: true }
    },
    requireWithData(name) {
      const isThere = (statSync(file(name), { throwIfNoEntry: false })?.size ?? 0) > 0
      const mark = isThere ? undefined : marks.find((each) => existsSync(file(each)))
      if (mark !== undefined) throw damaged(file(name), `is missing or empty beside data of an earlier run (${mark})`)
    },
  }
}

/** Replaces a file at once by one that only its owner can read. */
export function writePrivately(path: string, contents: string | Buffer): void {
  rmSync(`${path}.new`, { force: true })
  writeFileSync(`${path}.new`, contents, { mode: 0o600, flag: 'wx', flush: true })
  renameSync(`${path}.new`, path)
}

/** Returns the error of a file that cannot be used. */
export function damaged(path: string, how = 'is empty or damaged'): PlainError {
  return new PlainError(`${path} ${how}: restore it, or start with another DATA_DIR`)
}

function prepare(path: string): void {
  const entry = statSync(path, { throwIfNoEntry: false })
  if (entry !== undefined && !entry.isDirectory()) {
    throw new PlainError(`DATA_DIR ${path} is not a folder: remove it or choose another`)
  }
  try {
    makeFolder(join(path, 'logs'))
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
    throw new PlainError(`DATA_DIR ${path} cannot be written to (${why}): choose another`, { cause: error })
  }
}

/** Makes a folder and those above it. Node's own recursive way never ends where a parent cannot be made (`/proc/x`). */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  if (!existsSync(dirname(path))) makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}
