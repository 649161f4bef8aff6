import type * as z from 'zod/mini'
import { type HttpMethod, type Route, takesKey } from '../routes/route.ts'
import { type JsonSchema, jsonSchemaOf } from './json-schema.ts'
import { parameterDescriptions } from './parameter-descriptions.ts'

/** A parameter of an operation, or a reference to a shared one. */
export type Parameter =
  | { readonly $ref: string }
  | {
      readonly name: string
      readonly in: 'path' | 'query' | 'header'
      readonly required: boolean
      readonly description?: unknown
      readonly schema: JsonSchema
    }

/** The parameters that several operations share, by name. */
export const sharedParameters = {
  domain: {
    name: 'domain',
    in: 'query',
    required: false,
    description:
      'The domain to work in. Callers of a domain may leave it out, since they work in their own; root must name one where the description says so.',
    schema: { type: 'string' },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes it safe to repeat the request: for 24 hours, the same key with the same request returns the first answer.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,128}$' },
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of the record that was read. If the record has changed since, the answer is 412.',
    schema: { type: 'string' },
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description:
      'For a GET, the `ETag` of the record that was read: if it has not changed, the answer is 304. For a PUT, `*`: if the record exists, the answer is 412.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, Parameter>

/** Returns the parameters of one method of a route. */
export function parametersOf(
  route: Route,
  method: HttpMethod,
  shared: Record<string, JsonSchema>,
): readonly Parameter[] {
  const { params, query, operationId } = route
  return [
    ...membersOf(params, `${operationId}Path`, shared).map(([name, { schema }]) => inPath(name, schema)),
    ...membersOf(query, `${operationId}Query`, shared).map(([name, member]) => inQuery(name, member)),
    ...(takesKey(route) ? [reference('idempotencyKey')] : []),
    ...(route.versioned === true && method !== 'GET' && method !== 'POST' ? [reference('ifMatch')] : []),
    ...(route.versioned === true && (method === 'GET' || method === 'PUT') ? [reference('ifNoneMatch')] : []),
  ]
}

const reference = (name: keyof typeof sharedParameters): Parameter => ({ $ref: `#/components/parameters/${name}` })

const inPath = (name: string, { description, ...schema }: JsonSchema): Parameter => ({
  name,
  in: 'path',
  required: true,
  ...described('path', name, description),
  schema,
})

function described(place: 'path' | 'query', name: string, stated: unknown): { description?: unknown } {
  const description = stated ?? parameterDescriptions[`${place} ${name}`]
  return description === undefined ? {} : { description }
}

interface Member {
  readonly schema: JsonSchema
  readonly required: boolean
}

function inQuery(name: string, { schema: { description, ...schema }, required }: Member): Parameter {
  if (name === 'domain') return reference('domain')
  return { name, in: 'query', required, ...described('query', name, description), schema }
}

function membersOf(
  schema: z.ZodMiniType | undefined,
  name: string,
  shared: Record<string, JsonSchema>,
): [string, Member][] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = jsonSchemaOf(schema, 'request', name, shared) as {
    readonly properties?: Readonly<Record<string, JsonSchema>>
    readonly required?: readonly string[]
  }
  return Object.entries(properties).map(([member, json]) => [
    member,
    { schema: json, required: required.includes(member) },
  ])
}
