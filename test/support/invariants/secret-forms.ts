/** Looks for secrets in texts and files: as they are, and in the encodings that they travel in. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The beginning of all secrets of tests, so that they are recognised wherever they appear. */
export const marker = 's3cr3t-'

/** A secret of a test: the marker, and a text that distinguishes it from others. */
export const planted = (name: string) => `${marker}${name}`

/**
 * Every form that a secret could be found in: its bytes, as JSON text, percent-encoded, in hex, and in Base64 of both
 * alphabets and Base32 wherever it stands in a longer encoded text (`engine:<secret>`, say). Each as one character a
 * byte.
 */
export function formsOf(secret: string | Uint8Array): readonly string[] {
  const bytes = Buffer.from(secret)
  const texts = typeof secret === 'string' ? [JSON.stringify(secret).slice(1, -1), ...percentEncoded(secret)] : []
  const hex = bytes.toString('hex')
  const base64 = [0, 1, 2].map((shift) => base64Within(bytes, shift))
  const url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  const base32 = [0, 1, 2, 3, 4].map((shift) => base32Within(bytes, shift))
  const ascii = [hex, hex.toUpperCase(), ...base64, ...url, ...base32]
  return [...new Set([bytes, ...texts, ...ascii].map((form) => Buffer.from(form).toString('latin1')))]
}

function percentEncoded(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed())
  const form = new URLSearchParams({ secret }).toString().slice('secret='.length)
  return [encoded, form, encoded.replaceAll(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase())]
}

/** The characters of a Base64 text that tell of these bytes alone, where they begin `shift` bytes into a group of 3. */
function base64Within(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
  return ownDigits(text, 6, shift, bytes.length)
}

/** The same for Base32 (RFC 4648), whose groups have 5 bytes. */
function base32Within(bytes: Buffer, shift: number): string {
  let [text, bits, left] = ['', 0, 0]
  for (const byte of Buffer.concat([Buffer.alloc(shift), bytes])) {
    // At most four bits are left of the byte before.
    bits = ((bits << 8) | byte) & 0xfff
    for (left += 8; left >= 5; left -= 5) text += base32Digits.charAt((bits >> (left - 5)) & 31)
  }
  if (left > 0) text += base32Digits.charAt((bits << (5 - left)) & 31)
  return ownDigits(text, 5, shift, bytes.length)
}

const base32Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The digits, of some bits each, of which every bit is of the `length` bytes that follow the first `shift`. */
function ownDigits(text: string, bitsEach: number, shift: number, length: number): string {
  return text.slice(Math.ceil((shift * 8) / bitsEach), Math.floor(((shift + length) * 8) / bitsEach))
}

/** Whether bytes hold a secret in any of its forms. */
export function holds(bytes: Buffer, secret: string | Uint8Array): boolean {
  return heldIn(bytes, new Map([['it', secret]])).length > 0
}

/** The names of the secrets that bytes hold in any of their forms. */
export function heldIn(bytes: Buffer, secrets: ReadonlyMap<string, string | Uint8Array>): string[] {
  const text = bytes.toString('latin1')
  return [...secrets].filter(([, secret]) => formsOf(secret).some((form) => text.includes(form))).map(([name]) => name)
}

const markerForms = new RegExp(
  formsOf(marker)
    .map((form) => form.replaceAll(/[+/]/g, '\\$&'))
    .join('|'),
  'g',
)

/** Each place in a text or in bytes where something stands that has the marker in any form, with what is around it. */
export function markedIn(content: string | Buffer): readonly string[] {
  const text = Buffer.from(content).toString('latin1')
  return [...text.matchAll(markerForms)].map(({ index }) => text.slice(Math.max(0, index - 40), index + 40))
}

/** Returns the content of the files below a folder, by their path in it. */
export function filesBelow(folder: string): ReadonlyMap<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path)]))
}
