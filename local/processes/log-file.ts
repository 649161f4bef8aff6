import { type WriteStream, createWriteStream, existsSync, renameSync, statSync } from 'node:fs'

/** A log that is larger than this at a start is put aside, so that logs stay within twice of it. */
const maxBytes = 20 * 1024 * 1024

/** Puts a log aside if it is too large. What was put aside before is given up. */
export function putAside(path: string): void {
  if (existsSync(path) && statSync(path).size > maxBytes) renameSync(path, `${path}.1`)
}

/** Opens a log to append to. */
export function openLog(path: string): WriteStream {
  putAside(path)
  return createWriteStream(path, { flags: 'a', mode: 0o600 })
}
