import { existsSync, lstatSync } from 'node:fs'
import { CliError, exitCodes } from '../failure/exit.ts'
import { writePrivateFile } from '../profile/private-file.ts'
import type { Output } from './output.ts'

/**
 * Writes a result to a file that only its user may read, in place of what was there; to standard output for `-`. Throws
 * for a path that is no file, such as a device: it would be replaced as well.
 */
export function writeResult(path: string, text: string, out: Output): void {
  if (path === '-') return out.raw(text)
  // A link is none either: /dev/stdout is one, and would be gone.
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    throw new CliError(`${path} is no file: name a file, or "-" for standard output`, exitCodes.usage)
  }
  writePrivateFile(path, text)
  out.note(`wrote ${path}`)
}

/** Throws for a file that is there already, before anything is done whose result it is to hold. */
export function requireNewFile(path: string): void {
  if (existsSync(path)) throw fileExists(path)
}

/** The failure of a command that would replace a file. */
export function fileExists(path: string, cause?: unknown): CliError {
  return new CliError(`${path} is there already: remove it or name another file`, exitCodes.usage, cause)
}
