import { type WriteStream, createWriteStream, existsSync, renameSync, statSync } from 'node:fs'

/** A log that is larger than this at a start is put aside, so that logs stay within twice of it. */
const maxBytes = 20 * 1024 * 1024

/** Opens a log to append to. What was put aside before is given up. */
export function openLog(path: string): WriteStream {
  if (existsSync(path) && statSync(path).size > maxBytes) renameSync(path, `${path}.1`)
  return createWriteStream(path, { flags: 'a', mode: 0o600 })
}
