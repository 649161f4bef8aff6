/** Bytes of a value as JSON in UTF-8: as an answer or the store has it. */
export function jsonBytes(value: object): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}

/** The most bytes that an answer's body may add: a function hands over 6 291 556, with status and headers. */
export const mostHandedOver = 6_000_000

/**
 * Returns the bytes that a value adds to a function's answer, never too few: the body, JSON itself, is a text in the
 * JSON of the whole answer, with each quote and backslash escaped once more.
 */
export function handedOverBytes(value: object): number {
  const json = JSON.stringify(value)
  let bytes = 0
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at)
    if (code === quote || code === backslash) bytes += 2
    else bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : 3
  }
  return bytes
}

const quote = 0x22
const backslash = 0x5c
