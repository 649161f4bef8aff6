import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

interface ServedFile {
  readonly plain: Buffer
  readonly compressed: Buffer
}

/** Each file is read and compressed once: 1.7 MB take a tenth of a second. */
const known = new Map<string, ServedFile>()

/** Returns a file of the folder `files` next to the code, as it is and compressed with gzip. Throws without one. */
export function readReferenceFile(name: string): ServedFile {
  const found = known.get(name)
  if (found !== undefined) return found
  const plain = readFileSync(join(import.meta.dirname, 'files', name))
  const file = { plain, compressed: gzipSync(plain) }
  known.set(name, file)
  return file
}
