import { inspect } from 'node:util'
import { PlainError } from '@callplane/laptop'

/** What a person can do, by the system's word for what went wrong. */
const remedies: ReadonlyMap<unknown, string> = new Map([
  ['ENOSPC', 'the disk is full: make room, then start again'],
  ['EIO', 'the disk cannot be read or written: look whether it is full, then start again'],
  ['store_unavailable', 'the store did not answer while the platform began: start again'],
  ['EMFILE', 'too many files are open: raise the limit (ulimit -n), then start again'],
])

/** Returns why the platform ends, for the person at the terminal: a sentence where they can mend it. */
export function endInWords(error: unknown): string {
  if (error instanceof PlainError) return `callplane: ${error.message}`
  const remedy = remedies.get(error instanceof Error && 'code' in error && error.code)
  return remedy === undefined ? inspect(error) : `callplane: ${remedy} (${String(error)})`
}
