import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { PlainError } from '../processes/plain-error.ts'

/** The folder that holds all state of a run; only its owner can read it. */
export interface DataFolder {
  readonly path: string
  file(name: string): string
  read(name: string): string | undefined
  /** Writes a file that only its owner can read, all of it or nothing. */
  write(name: string, contents: string | Buffer): void
  readOrMake(name: string, make: () => string): { readonly value: string; readonly made: boolean }
}

/** Opens the folder, and creates a missing one. Throws a plain sentence when it cannot be used. */
export function openDataFolder(path: string): DataFolder {
  prepare(path)
  const file = (name: string): string => join(path, name)
  const read = (name: string): string | undefined =>
    existsSync(file(name)) ? readFileSync(file(name), 'utf8') : undefined
  const write = (name: string, contents: string | Buffer): void => {
    writeFileSync(file(`${name}.new`), contents, { mode: 0o600 })
    renameSync(file(`${name}.new`), file(name))
  }
  return {
    path,
    file,
    read,
    write,
    readOrMake(name, make) {
      const known = read(name)?.trim()
      if (known !== undefined && known !== '') return { value: known, made: false }
      const value = make()
      write(name, `${value}\n`)
      return { value, made: true }
    },
  }
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
