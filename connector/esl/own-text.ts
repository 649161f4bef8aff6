/** Names and ids that come with most events are kept, so many of them. */
const MAX_KNOWN = 256

/** Longer ones are not, so that what is kept has a limit: an engine's names and ids have a few tens of characters. */
const MAX_KNOWN_LENGTH = 128

/** The shortest part of a string that V8 shows as a view of the whole, which then stays in memory with it. */
const VIEW_LENGTH = 13

const known = new Map<string, string>()

/**
 * Returns a part of ASCII bytes as a string of its own, so that keeping it does not keep the event in memory. `text`
 * has one character for each byte. A part that `repeats` in most events is taken from a cache of earlier ones.
 */
export function ownText(bytes: Buffer, text: string, start: number, end: number, repeats: boolean): string {
  if (end - start < VIEW_LENGTH) return text.slice(start, end)
  if (!repeats) return bytes.toString('latin1', start, end)
  const before = known.get(text.slice(start, end))
  if (before !== undefined) return before
  const own = bytes.toString('latin1', start, end)
  if (own.length > MAX_KNOWN_LENGTH) return own
  if (known.size === MAX_KNOWN) known.clear()
  known.set(own, own)
  return own
}

/** Returns whether these bytes are ASCII and none of them is `other`. */
export function isAsciiWithout(other: number, bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === other || byte > 127) return false
  }
  return true
}
