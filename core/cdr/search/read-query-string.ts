import type { Clause } from '../search-plan.ts'
import { type ClauseContext, ignored, zoneIn } from './clause-parts.ts'
import { type SearchField, fieldOf } from './field-conditions.ts'
import { readQueryText } from './query-text.ts'
import { checkMembers, objectAt, refused, textAt } from './refusal.ts'

const queryStringMembers = [
  'query',
  'default_field',
  'fields',
  'default_operator',
  'time_zone',
  'analyze_wildcard',
  'allow_leading_wildcard',
  'lenient',
  'auto_generate_phrase_queries',
  'lowercase_expanded_terms',
]

/** Reads a query in the query syntax, with its options. */
export function readQueryString(value: unknown, at: string, depth: number, context: ClauseContext): Clause {
  const members = objectAt(value, at)
  checkMembers(members, [...queryStringMembers, ...ignored], at)
  const text = members.get('query')
  if (typeof text !== 'string') throw refused(`${at}.query`, 'must be text')
  return readQueryText(text, `${at}.query`, {
    ...context,
    ...zoneIn(members.get('time_zone'), `${at}.time_zone`),
    depth,
    fields: defaultFields(members, at),
    isAndDefault: isAnd(members.get('default_operator'), `${at}.default_operator`),
  })
}

const maxFields = 20

function defaultFields(members: ReadonlyMap<string, unknown>, at: string): readonly SearchField[] {
  const [one, several] = [members.get('default_field'), members.get('fields')]
  if (one !== undefined && several !== undefined) throw refused(at, 'must hold only one of default_field, fields')
  if (one !== undefined) return [fieldOf(textAt(one, `${at}.default_field`), `${at}.default_field`)]
  if (several === undefined) return [fieldOf('*', at)]
  if (!Array.isArray(several) || several.length === 0 || several.length > maxFields) {
    throw refused(`${at}.fields`, `must be a list of 1 to ${maxFields} names`)
  }
  return several.map((item: unknown, index) => {
    const place = `${at}.fields[${index}]`
    return fieldOf(textAt(item, place).replace(/\^\d+(?:\.\d+)?$/, ''), place)
  })
}

function isAnd(value: unknown, at: string): boolean {
  const operator = value === undefined ? 'or' : textAt(value, at).toLowerCase()
  if (operator !== 'and' && operator !== 'or') throw refused(at, 'must be AND or OR')
  return operator === 'and'
}
