import type { OpenApiDocument } from '../../../contracts/openapi/document.ts'
import { errorCodes } from '../../../contracts/routes/shapes.ts'
import { type Route, takesKey } from '../../../contracts/routes/route.ts'

type Schema = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}

interface Operation {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, { schema?: Schema }>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>>
}

const heading = `/** Written by \`npm run openapi\` from the route records in contracts/routes. Do not edit it. */
`

/** Returns client/operations.ts: each operation as a value, and the types of its parameters, body and answer. */
export function clientOperations(routes: readonly Route[], document: OpenApiDocument): string {
  const served = routes
    .filter(
      ({ authentication, responseType, answers = ['json'] }) =>
        authentication !== 'engine' && responseType === undefined && answers.includes('json'),
    )
    .toSorted((a, b) => (a.operationId < b.operationId ? -1 : 1))
  const shared = Object.entries(document.components['schemas'] ?? {}).filter(([name]) => name !== 'Error')
  return [
    heading,
    '/** The codes with which the API refuses. */',
    `export type ErrorCode = ${[...errorCodes].map(quoted).join(' | ')}`,
    '',
    ...shared.flatMap(([name, schema]) => [`type ${titled(name)} = ${typeOf(schema as Schema)}`, '']),
    '/** The operations: method, path, and whether a call takes an `Idempotency-Key`. */',
    'export const operations = {',
    ...served.map(
      (route) =>
        `  ${route.operationId}: { method: ${quoted(route.method)}, path: ${quoted(route.path)}, takesKey: ${takesKey(route)} },`,
    ),
    '} as const',
    '',
    '/** The input and the answer of each operation. */',
    'export interface Operations {',
    ...served.flatMap((route) => operationLines(route, document)),
    '}',
    '',
  ].join('\n')
}

function operationLines(route: Route, document: OpenApiDocument): string[] {
  const operation = document.paths[route.path]?.[route.method.toLowerCase()] as Operation
  const parameters = (operation.parameters ?? []).map((each) =>
    '$ref' in each ? (document.components['parameters']?.[each.$ref.split('/').at(-1) ?? ''] as Parameter) : each,
  )
  const part = (name: string, place: string) => {
    const own = parameters.filter((each) => each.in === place)
    if (own.length === 0) return []
    const isNeeded = own.some(({ required }) => required === true)
    const members = own.map((each) => `${each.name}${each.required === true ? '' : '?'}: ${typeOf(each.schema)}`)
    return [`${name}${isNeeded ? '' : '?'}: { ${members.join('; ')} }`]
  }
  const { requestBody } = operation
  const body = requestBody?.content['application/json']?.schema
  const answer = operation.responses['200']?.content?.['application/json']?.schema ?? {}
  const members = [
    ...part('params', 'path'),
    ...part('query', 'query'),
    ...(body === undefined ? [] : [`body${requestBody?.required === true ? '' : '?'}: ${typeOf(body)}`]),
    `answer: ${typeOf(answer)}`,
  ]
  return [`  /** ${route.summary}. */`, `  ${route.operationId}: { ${members.join('; ')} }`]
}

/** Returns the type of the values that a JSON Schema accepts, as far as types can say it. */
export function typeOf(schema: Schema): string {
  const { $ref, enum: values, const: constant, anyOf, oneOf, allOf, type } = schema
  if (typeof $ref === 'string') return titled($ref.split('/').at(-1) ?? '')
  if (constant !== undefined) return typeof constant === 'string' ? quoted(constant) : JSON.stringify(constant)
  if (Array.isArray(values))
    return union(values.map((each) => (typeof each === 'string' ? quoted(each) : String(each))))
  const choices = anyOf ?? oneOf
  if (Array.isArray(choices)) return union(choices.map((each: Schema) => typeOf(each)))
  if (Array.isArray(allOf)) return allOf.map((each: Schema) => typeOf(each)).join(' & ')
  if (Array.isArray(type)) return union(type.map((each: string) => typeOf({ ...schema, type: each })))
  if (type === 'object') return objectType(schema)
  if (type === 'array') return arrayType(schema)
  if (type === 'integer') return 'number'
  return typeof type === 'string' ? type : 'unknown'
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const needed = new Set(required as string[])
  const members = Object.entries(properties as Record<string, Schema>).map(
    ([name, schema]) => `readonly ${nameOf(name)}${needed.has(name) ? '' : '?'}: ${typeOf(schema)}`,
  )
  const isMap = typeof additionalProperties === 'object' && additionalProperties !== null
  // An index signature would have to hold for the named members as well.
  const others = isMap && members.length === 0 ? typeOf(additionalProperties as Schema) : 'unknown'
  if (isMap || (members.length === 0 && additionalProperties !== false)) {
    members.push(`readonly [name: string]: ${others}`)
  }
  return members.length === 0 ? 'Record<string, never>' : `{ ${members.join('; ')} }`
}

function arrayType({ items, prefixItems }: Schema): string {
  if (Array.isArray(prefixItems)) return `readonly [${prefixItems.map((each: Schema) => typeOf(each)).join(', ')}]`
  return `readonly (${typeOf((items ?? {}) as Schema)})[]`
}

const union = (types: readonly string[]) => [...new Set(types)].join(' | ')
/** Returns the literal of a text. JSON escapes line ends; its quotes are changed to those of this code. */
const quoted = (text: string) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`)}'`
const nameOf = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name))
const titled = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`
