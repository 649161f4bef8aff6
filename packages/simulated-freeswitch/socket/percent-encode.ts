/** Bytes that the engine's URL encoding replaces, in addition to control bytes and those above `~`. */
const unsafe = new Set(' "#%&+:;<=>?@[\\]^`{|}')

/**
 * Returns a value as written in plain and XML events. A percent sign before two of `0-9A-F` stays, so these formats
 * cannot be decoded without loss (`events/sendevent-custom.plain`).
 */
export function percentEncode(bytes: string): string {
  let encoded = ''
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.charAt(at)
    const kept = byte === '%' ? /^[0-9A-F]{2}/.test(bytes.slice(at + 1, at + 3)) : isPlain(byte)
    encoded += kept ? byte : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  }
  return encoded
}

function isPlain(byte: string): boolean {
  return byte > ' ' && byte <= '~' && !unsafe.has(byte)
}
