import { badRequest } from './refusal.ts'

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Returns the value as an object; refuses any other value. `what` names it in the refusal. */
export function objectOf(value: unknown, what: string): JsonObject {
  if (isObject(value)) return value
  throw badRequest(`[${what}] must be an object`)
}

/** Returns whether a value is an object and no array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the values of an array; one value is an array of itself, none is empty. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

/** Returns the one entry of an object. */
export function onlyEntry(value: unknown, what: string): readonly [string, unknown] {
  const [entry, ...others] = Object.entries(objectOf(value, what))
  if (entry === undefined || others.length > 0) throw badRequest(`[${what}] must have exactly one entry`)
  return entry
}

/** Returns a whole number of an object that is not negative; `fallback` where it is absent. */
export function countIn(object: JsonObject, name: string, fallback: number): number {
  const value = object[name] ?? fallback
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
  throw badRequest(`[${name}] must be a whole number`, 'illegal_argument_exception')
}

/** Returns a text of an object; refused where it is absent. */
export function textIn(object: JsonObject, name: string): string {
  const value = object[name]
  if (typeof value === 'string') return value
  throw badRequest(`[${name}] must be a text`, 'illegal_argument_exception')
}

/** Refuses names that this server does not know: a real one would do something that is not done here. */
export function checkNames(object: JsonObject, known: readonly string[], what: string): void {
  const unknown = Object.keys(object).find((name) => !known.includes(name))
  if (unknown !== undefined) throw badRequest(`[${what}] does not support [${unknown}]`)
}

/** Parses text as JSON. Refuses malformed text as OpenSearch does. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest('the body is no JSON', 'json_parse_exception')
  }
}
