import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns a hash of the names and contents of files, of all files inside where a path is a folder; a missing path
 * counts.
 */
export function contentHash(root: string, paths: readonly string[]): string {
  const hash = createHash('sha256')
  const add = (path: string): void => {
    const full = join(root, path)
    const entry = statSync(full, { throwIfNoEntry: false })
    if (entry?.isDirectory() === true) {
      for (const name of readdirSync(full).sort()) add(join(path, name))
      return
    }
    const contents = entry === undefined ? Buffer.from('missing') : readFileSync(full)
    hash.update(`${path}\0${contents.length}\0`).update(contents)
  }
  for (const path of paths) add(path)
  return hash.digest('hex')
}
