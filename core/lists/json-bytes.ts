/** Bytes of a value as JSON in UTF-8: as an answer or the store has it. */
export function jsonBytes(value: object): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}
