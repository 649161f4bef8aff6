/** Looks for secrets in files: as they are, and in the encodings that they travel in. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Every form that a secret could be found in: its bytes, as JSON text, in hex, percent-encoded, and in both alphabets
 * of Base64 wherever it stands in a longer encoded text (`engine:<secret>`, say).
 */
function formsOf(secret: string | Uint8Array): Buffer[] {
  const bytes = Buffer.from(secret)
  const texts = typeof secret === 'string' ? [JSON.stringify(secret).slice(1, -1), ...percentEncoded(secret)] : []
  const hex = bytes.toString('hex')
  const base64 = [0, 1, 2].map((shift) => base64Within(bytes, shift))
  const url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  return [bytes, ...[...texts, hex, hex.toUpperCase(), ...base64, ...url].map((text) => Buffer.from(text))]
}

function percentEncoded(secret: string): string[] {
  const encoded = encodeURIComponent(secret)
  const form = new URLSearchParams({ secret }).toString().slice('secret='.length)
  return [encoded, form, encoded.replaceAll(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase())]
}

/** The characters of a Base64 text that tell of these bytes alone, where they begin `shift` bytes into a group. */
function base64Within(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
  const shared = /=+$/.test(text) ? 1 : 0
  return text.replace(/=+$/, '').slice(shift === 0 ? 0 : shift + 1, shared === 0 ? undefined : -shared)
}

/** Whether some bytes hold a secret in any of its forms. */
export function holds(bytes: Buffer, secret: string | Uint8Array): boolean {
  return formsOf(secret).some((form) => bytes.includes(form))
}

/** What the files below a folder hold, by their path in it. */
export function filesBelow(folder: string): ReadonlyMap<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path)]))
}
