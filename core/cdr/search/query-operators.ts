import type { Clause } from '../search-plan.ts'

/** A clause of a group and its preceding operator. */
export interface Occurrence {
  readonly conjunction: 'and' | 'or' | undefined
  readonly modifier: 'plus' | 'minus' | 'not' | undefined
  readonly clause: Clause
}

type Role = 'must' | 'mustNot' | 'should'

/**
 * Joins the clauses of a group as Lucene's classic parser does. There are no precedences: AND requires the clauses on
 * both of its sides, + the next one; NOT, ! and - exclude the next one. The other clauses are optional, and count only
 * if nothing is required (with `isAndDefault`, all are required except those next to an OR). A group of exclusions
 * alone means everything else.
 */
export function joined(occurrences: readonly Occurrence[], isAndDefault: boolean): Clause {
  const parts: { role: Role; readonly clause: Clause }[] = []
  for (const { conjunction, modifier, clause } of occurrences) {
    const previous = parts.at(-1)
    if (previous !== undefined && previous.role !== 'mustNot') {
      if (conjunction === 'and') previous.role = 'must'
      else if (conjunction === 'or' && isAndDefault) previous.role = 'should'
    }
    parts.push({ role: roleOf(conjunction, modifier, isAndDefault), clause })
  }
  const of = (role: Role) => parts.filter((part) => part.role === role).map(({ clause }) => clause)
  const [must, mustNot] = [of('must'), of('mustNot')]
  const should = must.length > 0 ? [] : of('should')
  const [only] = [...must, ...should]
  if (only !== undefined && parts.length === 1) return only
  return { kind: 'bool', must, mustNot, should, leastShould: should.length > 0 ? 1 : 0 }
}

function roleOf(conjunction: Occurrence['conjunction'], modifier: Occurrence['modifier'], isAndDefault: boolean): Role {
  if (modifier === 'minus' || modifier === 'not') return 'mustNot'
  if (isAndDefault) return conjunction === 'or' ? 'should' : 'must'
  return modifier === 'plus' || conjunction === 'and' ? 'must' : 'should'
}
