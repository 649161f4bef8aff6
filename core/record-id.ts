import type { Randomness } from './time.ts'

/** Returns a new id of a record, as the published API shows it: 24 lower-case hex digits, of 12 random bytes. */
export function newRecordId(random: Pick<Randomness, 'bytes'>): string {
  return Array.from(random.bytes(12), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Returns whether a text can be the id of a record; any other is not looked up. */
export function isRecordId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text)
}
