/**
 * Inside the simulated engine all text is byte text: one character for each byte on the wire, as the engine itself
 * knows no characters. Bytes that are not UTF-8 pass through unchanged, and a length is a count of bytes.
 */
export function toByteText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** Byte text as the characters that its bytes spell in UTF-8. */
export function fromByteText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
