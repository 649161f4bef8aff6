/** A value as JSON has it: what an event's field can be. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** An event as hooks see it: fields by name. Fields of the engine are text; those of a test event can be nested. */
export interface JsonObject {
  readonly [name: string]: JsonValue
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Own members only: an event has no field that it inherited from its prototype. */
const own = (object: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

function walk(fields: JsonObject, path: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = fields
  for (const step of path) at = isObject(at) ? own(at, step) : undefined
  return at
}

/**
 * Finds a field as `${name}` and filters name it. With a dot: nested objects first, then the whole name as a plain
 * key. Without: the channel variable `variable_<name>` first, then the plain key. `undefined` when it is absent.
 */
export function findField(fields: JsonObject, name: string): JsonValue | undefined {
  if (name.includes('.')) return walk(fields, name.split('.')) ?? own(fields, name)
  return own(fields, `variable_${name}`) ?? own(fields, name)
}

/** Returns a field's value as text: itself when it is text, else its JSON. */
export function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Returns the same fields in the order of their names' code units, nested ones too: stores keep no order, and every
 * attempt of a delivery has the same bytes.
 */
export function inOrder(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.keys(fields)
      .sort()
      .map((name) => [name, ordered(fields[name] ?? null)]),
  )
}

function ordered(value: JsonValue): JsonValue {
  if (isObject(value)) return inOrder(value)
  return isList(value) ? value.map(ordered) : value
}

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value)

/** The deepest nesting of a test's event: the store takes 32 levels, and its record has some of its own. */
const deepestNesting = 24

/** Returns whether the store takes a number: 0, or of a magnitude from 1e-130 up to 1e126, from DynamoDB's limits. */
export function isStorableNumber(value: number): boolean {
  return value === 0 || (Math.abs(value) >= 1e-130 && Math.abs(value) < 9.9e125)
}

/** Returns why an event of a caller cannot be stored; `undefined` if it can. */
export function storingProblem(value: JsonValue, depth = 1): string | undefined {
  if (typeof value === 'number' && !isStorableNumber(value)) return 'must hold no number beyond 1e-130 and 1e125'
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > deepestNesting) return `must not be nested deeper than ${deepestNesting} levels`
  for (const member of Object.values<JsonValue>(value)) {
    const problem = storingProblem(member, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}
