import type { Clause } from '../search-plan.ts'
import { type ClauseContext, type ReadKind, ignored, onlyField, scalarAt } from './clause-parts.ts'
import { equalsOf, existsOf, fieldOf, prefixOf, wildcardOf } from './field-conditions.ts'
import { readQueryString } from './read-query-string.ts'
import { readRange } from './read-range.ts'
import { checkMembers, objectAt, refused, textAt } from './refusal.ts'

const maxValues = 1000

const kinds: ReadonlyMap<string, ReadKind> = new Map([
  ['bool', readBool],
  ['range', readRange],
  ['term', readTerm],
  ['terms', readTerms],
  ['match', readMatch],
  ['match_phrase', readMatch],
  ['prefix', readPrefix],
  ['wildcard', readWildcard],
  ['exists', readExists],
  ['query_string', readQueryString],
  ['ids', readIds],
])

/**
 * Reads one clause of the search engine's JSON into a plan. `at` is its path in the body, `depth` the number of
 * enclosing levels. Throws `query_refused` for everything unsupported.
 */
export function readClause(value: unknown, at: string, depth: number, context: ClauseContext): Clause {
  context.budget.checkDepth(depth, at)
  context.budget.count(1, at)
  const members = [...objectAt(value, at)]
  const [member] = members
  if (member === undefined || members.length > 1) throw refused(at, 'must be an object with one kind of clause in it')
  const [kind, content] = member
  const read = kinds.get(kind)
  if (read === undefined) throw refused(`${at}.${kind}`, `is not offered; offered are ${[...kinds.keys()].join(', ')}`)
  return read(content, `${at}.${kind}`, depth, context)
}

/** Reads one clause or a list of them; an absent value is an empty list. */
export function readClauses(value: unknown, at: string, depth: number, context: ClauseContext): readonly Clause[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) return [readClause(value, at, depth, context)]
  return value.map((item: unknown, index) => readClause(item, `${at}[${index}]`, depth, context))
}

function readBool(value: unknown, at: string, depth: number, context: ClauseContext): Clause {
  const members = objectAt(value, at)
  checkMembers(members, ['must', 'filter', 'must_not', 'should', 'minimum_should_match', ...ignored], at)
  const of = (name: string) => readClauses(members.get(name), `${at}.${name}`, depth + 1, context)
  const must = [...of('must'), ...of('filter')]
  const [mustNot, should] = [of('must_not'), of('should')]
  const least = leastOf(members.get('minimum_should_match'), `${at}.minimum_should_match`)
  // Optional clauses alone are a condition: one of them has to hold, even if the minimum is given as 0.
  const floor = must.length === 0 && should.length > 0 ? 1 : 0
  return { kind: 'bool', must, mustNot, should, leastShould: Math.max(least, floor) }
}

function leastOf(value: unknown, at: string): number {
  if (value === undefined) return 0
  const number = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isInteger(number) && number >= 0) return number
  throw refused(at, 'must be a whole number from 0')
}

function valueIn(content: unknown, names: readonly string[], others: readonly string[], at: string): unknown {
  if (typeof content !== 'object' || content === null) return content
  const members = objectAt(content, at)
  checkMembers(members, [...names, ...others, ...ignored], at)
  const given = names.filter((name) => members.has(name))
  if (given.length !== 1) throw refused(at, `must hold ${names.join(' or ')}`)
  return members.get(given[0] ?? '')
}

function readTerm(value: unknown, path: string, _depth: number, context: ClauseContext): Clause {
  const { field, content, at } = onlyField(value, path)
  return equalsOf(field, [scalarAt(valueIn(content, ['value'], [], at), at)], at, context)
}

function readTerms(value: unknown, path: string, _depth: number, context: ClauseContext): Clause {
  const { field, content, at } = onlyField(value, path)
  return equalsOf(field, valuesAt(content, at), at, context)
}

function valuesAt(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value)) throw refused(at, 'must be a list of values')
  if (value.length > maxValues) throw refused(at, `must have at most ${maxValues} values`)
  return value.map((item: unknown, index) => scalarAt(item, `${at}[${index}]`))
}

/** Text is not divided into words: a match is a match of the whole value, whatever the operator. */
function readMatch(value: unknown, path: string, _depth: number, context: ClauseContext): Clause {
  const { field, content, at } = onlyField(value, path)
  const others = ['operator', 'slop', 'lenient', 'zero_terms_query', 'minimum_should_match', 'type']
  return equalsOf(field, [scalarAt(valueIn(content, ['query'], others, at), at)], at, context)
}

function readPrefix(value: unknown, path: string): Clause {
  const { field, content, at } = onlyField(value, path)
  return prefixOf(field, textAt(valueIn(content, ['value', 'prefix'], [], at), at), at)
}

function readWildcard(value: unknown, path: string): Clause {
  const { field, content, at } = onlyField(value, path)
  return wildcardOf(field, textAt(valueIn(content, ['value', 'wildcard'], [], at), at), at)
}

function readExists(value: unknown, at: string): Clause {
  const members = objectAt(value, at)
  checkMembers(members, ['field', ...ignored], at)
  return existsOf(fieldOf(textAt(members.get('field'), `${at}.field`), `${at}.field`))
}

function readIds(value: unknown, at: string, _depth: number, context: ClauseContext): Clause {
  const members = objectAt(value, at)
  checkMembers(members, ['values', 'type', ...ignored], at)
  return equalsOf(fieldOf('_id', at), valuesAt(members.get('values'), `${at}.values`), at, context)
}
