import type { Route } from '../../../contracts/routes/route.ts'
import {
  type Precondition,
  bothOf,
  noPrecondition,
  preconditionFailed,
  readIfMatch,
  readIfNoneMatch,
} from '../../../core/requests/precondition.ts'
import type { CheckedFields, Exchange } from '../exchange.ts'
import { listCursors } from '../list-cursors.ts'
import { type RawRequest, invalidJson } from '../read-request.ts'
import { type Step, requireStep } from '../endpoint-parts.ts'
import type * as z from 'zod/mini'
import { DomainError, type FieldProblem } from '../../../core/errors.ts'
import { nearest } from '../../../core/requests/nearest.ts'

/** Checks the cursor, the fields, `If-Match` and `If-None-Match` of a request, as the route declares them. */
export function fieldValidation(route: Route): Step {
  return {
    before: ({ event: exchange }) => {
      const cursors = listCursors(route, exchange.domain, requireStep(exchange.raw, 'request syntax'))
      const fields = fieldsOf(route, cursors.request)
      exchange.checked = { ...fields, precondition: preconditionOf(exchange, route), cursors }
      exchange.fields = route.rawBody === true ? [] : fieldNames(fields.body)
    },
  }
}

function fieldsOf(route: Route, raw: RawRequest): Pick<CheckedFields, 'params' | 'query' | 'body'> {
  const body = route.form ?? route.body
  return {
    params: route.params && checkFields(route.params, raw.params),
    query: route.query && checkFields(route.query, raw.query),
    body: route.rawBody === true ? raw.body : body && checkFields(body, raw.body === undefined ? {} : raw.body),
  }
}

/**
 * Returns what a change requires of its record. A record without versions never matches a version that `If-Match`
 * names, and exists unless the request creates it.
 */
function preconditionOf({ event }: Exchange, { method, versioned, creates }: Route): Precondition {
  const { 'if-match': match, 'if-none-match': noneMatch } = event.headers
  if (method === 'GET' || method === 'POST') return noPrecondition
  const unless = readIfNoneMatch(noneMatch)
  const precondition = bothOf(readIfMatch(match), unless)
  if (versioned === true) return precondition
  if (!precondition.allows(undefined) || (creates !== true && !unless.allows('""'))) throw preconditionFailed()
  return precondition
}

function fieldNames(body: unknown): string[] {
  const records: unknown[] = Array.isArray(body) ? body : [body]
  return [...new Set(records.flatMap((record) => Object.keys(Object(record))))].sort()
}

interface Issue {
  readonly code?: string | undefined
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly expected?: string | undefined
  readonly errors?: readonly (readonly Issue[])[] | undefined
}

const maxProblems = 20

/**
 * Reads a part of a request by its schema. Throws `missing_field` if a required field is absent, otherwise
 * `invalid_field`; both name the fields. Throws `invalid_json` if the part has the wrong kind altogether.
 */
export function checkFields<S extends z.ZodMiniType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.flatMap((issue) => innermost(issue, []))
  const whole = issues.find(({ path }) => path.length === 0)
  if (whole !== undefined)
    throw invalidJson(`the body ${requirePort(whole) ?? 'must be a JSON object of the documented shape'}`)
  const details = issues.slice(0, maxProblems).map((issue) => problemOf(issue, value, schema))
  const missing = details.find(({ problem }) => problem.startsWith(absent))
  const [first] = missing === undefined ? details : [missing]
  throw new DomainError(
    missing === undefined ? 'invalid_field' : 'missing_field',
    `${first?.field}: ${first?.problem}`,
    {
      details,
    },
  )
}

const absent = 'must be given'

/** The kinds of values in words. */
const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'text',
}

/** More names than any body has; further ones are not compared. */
const maxCompared = 100

/** Names the unknown member of an object that was probably meant to be one that is absent. */
function misspelt(name: string, parent: unknown, schema: z.core.$ZodType): string {
  const known = new Set(knownNames(schema))
  const unknown = Object.keys(Object(parent))
    .slice(0, maxCompared)
    .filter((given) => !known.has(given))
  const meant = nearest(name, unknown)
  return meant === undefined ? '' : `; "${meant}" is unknown`
}

/** The names of the fields that a schema has, at any depth. */
function knownNames({ _zod: { def } }: z.core.$ZodType): readonly string[] {
  const shape: object = 'shape' in def ? Object(def.shape) : {}
  const inner = [...Object.values(def).flat(), ...Object.values(shape)].filter(isSchema)
  return [...Object.keys(shape), ...inner.flatMap(knownNames)]
}

/** A comparison with the class would put the whole of zod into every function. */
function isSchema(value: unknown): value is z.core.$ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value
}

/**
 * Returns, for a union, the issues of the best-fitting alternative: the one whose problems lie deepest, or else one of
 * the right kind.
 */
function innermost(issue: Issue, prefix: readonly PropertyKey[]): Issue[] {
  const path = [...prefix, ...issue.path]
  const alternatives = (issue.errors ?? []).map((inner) => inner.flatMap((each) => innermost(each, path)))
  const depth = (issues: readonly Issue[]) => Math.min(...issues.map((each) => each.path.length))
  const best = alternatives.filter((issues) => issues.length > 0).sort((a, b) => depth(b) - depth(a))[0]
  if (best !== undefined && depth(best) > path.length) return best
  return alternatives.find((inner) => inner.some(({ code }) => code !== 'invalid_type')) ?? [{ ...issue, path }]
}

function problemOf(issue: Issue, value: unknown, schema: z.core.$ZodType): FieldProblem {
  const field = fieldName(issue.path)
  const isOfWrongKind = issue.code === 'invalid_type' || issue.code === 'invalid_union'
  if (isOfWrongKind && at(value, issue.path) === undefined) {
    const parent = at(value, issue.path.slice(0, -1))
    return { field, problem: absent + misspelt(String(issue.path.at(-1)), parent, schema) }
  }
  const kind = `must be ${kinds[issue.expected ?? ''] ?? issue.expected}`
  return { field, problem: requirePort(issue) ?? (issue.code === 'invalid_type' ? kind : 'is not valid') }
}

/** Returns our schema's own message. Messages of the library's language packs are not used. */
function requirePort({ message }: Issue): string | undefined {
  return message === 'Invalid input' ? undefined : message
}

/** `variables[2]`, `auth.headers`. */
function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`))
    .join('')
    .slice(0, 200)
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, part) ? Reflect.get(inner, part) : undefined,
    value,
  )
}
