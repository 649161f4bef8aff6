import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the version of this program, that of its package. */
export function version(): string {
  const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')
  const manifest: { readonly version: string } = JSON.parse(text)
  return manifest.version
}
