import * as z from 'zod/mini'

/** A JSON Schema of the 2020-12 dialect, which OpenAPI 3.1 uses. */
export interface JsonSchema {
  [keyword: string]: unknown
}

/** The direction in which a value travels: callers send it, or receive it. */
export type Direction = 'request' | 'answer'

interface Definition {
  readonly type: string
  readonly in?: z.core.$ZodType
  readonly out?: z.core.$ZodType
  readonly error?: (issue: object) => unknown
}

const definitionOf = (schema: z.core.$ZodType) => schema._zod.def as unknown as Definition

/** The limits that the library writes for every integer; they say nothing about the field. */
const exactIntegers = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

/**
 * Returns the JSON Schema of a declared schema. Definitions that refer to themselves go to `shared`, under names that
 * begin with `name`. Throws for a schema that has no JSON Schema and does not bring one as its metadata.
 */
export function jsonSchemaOf(
  schema: z.core.$ZodType,
  direction: Direction,
  name: string,
  shared: Record<string, JsonSchema>,
): JsonSchema {
  const {
    $schema: _dialect,
    $defs = {},
    ...root
  } = z.toJSONSchema(schema, {
    io: direction === 'request' ? 'input' : 'output',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => describe(zodSchema, jsonSchema as JsonSchema, direction),
  }) as JsonSchema & { readonly $defs?: Readonly<Record<string, JsonSchema>> }
  const names = new Map(Object.keys($defs).map((key, at) => [`#/$defs/${key}`, `${name}Part${at + 1}`]))
  for (const [key, definition] of Object.entries($defs)) {
    shared[names.get(`#/$defs/${key}`) ?? key] = renamed(definition, names) as JsonSchema
  }
  return renamed(root, names) as JsonSchema
}

function describe(schema: z.core.$ZodType, json: JsonSchema, direction: Direction): void {
  const definition = definitionOf(schema)
  if (definition.type === 'custom' && json['type'] === undefined) {
    throw new Error('a schema without a JSON Schema needs one as its metadata')
  }
  const number = direction === 'request' ? numberInText(definition) : undefined
  if (number !== undefined) {
    delete json['pattern']
    Object.assign(json, numberSchema(number))
  }
  if (json['minimum'] === exactIntegers.minimum) delete json['minimum']
  if (json['maximum'] === exactIntegers.maximum) delete json['maximum']
  // Clients ignore members that they do not know: answers may get more of them at any time.
  if (direction === 'answer' && json['additionalProperties'] === false) delete json['additionalProperties']
  // Every member of an object has a name of this kind.
  if (isPlainText(json['propertyNames'])) delete json['propertyNames']
  const rule = ruleOf(definition)
  if (rule !== undefined && json['description'] === undefined) json['description'] = rule
}

function numberInText({ type, in: from, out }: Definition): z.core.$ZodType | undefined {
  if (type !== 'pipe' || from === undefined || out === undefined || definitionOf(from).type !== 'string')
    return undefined
  const { type: kind, in: change, out: number } = definitionOf(out)
  if (kind !== 'pipe' || change === undefined || definitionOf(change).type !== 'transform') return undefined
  return number !== undefined && definitionOf(number).type === 'number' ? number : undefined
}

function numberSchema(schema: z.core.$ZodType): JsonSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema) as JsonSchema
  return json
}

function ruleOf({ error }: Definition): string | undefined {
  const rule = error?.({})
  return typeof rule === 'string' ? `${rule.charAt(0).toUpperCase()}${rule.slice(1)}.` : undefined
}

function isPlainText(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.keys(schema).join() === 'type'
}

function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => renamed(each, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const target = key === '$ref' && typeof each === 'string' ? names.get(each) : undefined
      return [key, target === undefined ? renamed(each, names) : `#/components/schemas/${target}`]
    }),
  )
}
