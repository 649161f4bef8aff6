/**
 * Returns the body of an event that was recorded in the plain format as the body of the same event in JSON, so that
 * tests can read it. A `%` that the engine left as it was reads as the beginning of an escape: the plain format cannot
 * tell.
 */
export function jsonOfPlain(body: Buffer): Buffer {
  const text = body.toString('latin1')
  const end = text.indexOf('\n\n')
  const headers = text
    .slice(0, end)
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)].map(decoded))
  const own = text.slice(end + 2)
  const members = own === '' ? headers : [...headers, ['_body', decodedBytes(own)]]
  return Buffer.from(JSON.stringify(Object.fromEntries(members)))
}

/** Decodes each `%XX` to its byte, and the bytes to text. */
function decoded(text: string): string {
  return decodedBytes(text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number(`0x${hex}`))))
}

function decodedBytes(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString()
}
