import { appendFile, closeSync, existsSync, openSync, renameSync, statSync } from 'node:fs'
import { Writable } from 'node:stream'

/** A log that is larger than this at a start is put aside, so that logs stay within twice of it. */
const maxBytes = 20 * 1024 * 1024

/** Puts a log aside if it is too large. What was put aside before is given up. */
export function putAside(path: string): void {
  if (existsSync(path) && statSync(path).size > maxBytes) renameSync(path, `${path}.1`)
}

/**
 * Opens a log to append to. What the disk refuses is lost, with a line at the terminal, and the writers go on: they
 * would stop if nobody read their output.
 */
export function openLog(path: string): Writable {
  putAside(path)
  const file = openSync(path, 'a', 0o600)
  let isRefused = false
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      appendFile(file, chunk, (error) => {
        if (error !== null && !isRefused) console.error(`${path} is not written for now: ${error.message}`)
        isRefused = error !== null
        done()
      })
    },
    destroy(error, done) {
      closeSync(file)
      done(error)
    },
  })
}
