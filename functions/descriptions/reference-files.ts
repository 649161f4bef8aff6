import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns a file of the folder `files` next to the code. Throws if there is none of that name. */
export function readReferenceFile(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, 'files', name))
}
