/** An object of JSON whose members have not been looked at. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Returns whether a value of JSON is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
