import type { Clause } from '../search-plan.ts'

/** A clause of a group and what stands before it. */
export interface Occurrence {
  readonly conjunction: 'and' | 'or' | undefined
  readonly modifier: 'plus' | 'minus' | 'not' | undefined
  readonly clause: Clause
}

type Role = 'must' | 'mustNot' | 'should'

/**
 * Joins the clauses of a group as Lucene's classic parser does. There are no precedences: AND makes the clauses on both
 * of its sides required, + the one behind it, NOT, ! and - exclude the one behind them, and what is left is wished for,
 * which counts only where nothing is required (with `isAndDefault`: all are required but those beside an OR). A group of
 * exclusions alone means everything else.
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
