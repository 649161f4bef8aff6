import type { Clause } from '../search-plan.ts'
import { type ConditionContext, type SearchField, fieldOf } from './field-conditions.ts'
import { objectAt, refused, textAt } from './refusal.ts'
import type { SearchBudget } from './search-budget.ts'
import { timeZoneOf } from '../time-zone.ts'

/** The context in which clauses are read. */
export interface ClauseContext {
  /** Epoch milliseconds. */
  readonly now: number
  readonly budget: SearchBudget
}

/** Members without effect: they change the order by relevance, which hits do not have, or nothing at all. */
export const ignored = ['boost', '_name', 'adjust_pure_negative', 'rewrite', 'relation']

/** Reads the content of one kind of clause. */
export type ReadKind = (value: unknown, at: string, depth: number, context: ClauseContext) => Clause

/** Reads a clause of the form `{field: value}`, apart from ignored members. */
export function onlyField(
  value: unknown,
  at: string,
): { readonly field: SearchField; readonly content: unknown; readonly at: string } {
  const members = [...objectAt(value, at)].filter(([name]) => !ignored.includes(name))
  const [member] = members
  if (member === undefined || members.length > 1) throw refused(at, 'must name one field')
  const place = `${at}.${member[0]}`
  return { field: fieldOf(member[0], place), content: member[1], at: place }
}

/** Reads a value; text may have at most 1024 characters. */
export function scalarAt(value: unknown, at: string): unknown {
  return typeof value === 'string' ? textAt(value, at) : value
}

/** Returns the time zone of the dates in a clause. */
export function zoneIn(value: unknown, at: string): Pick<ConditionContext, 'zone'> {
  if (value === undefined) return {}
  const zone = timeZoneOf(textAt(value, at))
  if (zone === undefined) throw refused(at, 'must be a zone such as Europe/Kyiv or +02:00')
  return { zone }
}
