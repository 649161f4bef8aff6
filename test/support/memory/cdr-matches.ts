import type { Cdr } from '../../../core/cdr/cdr.ts'
import type { RemovalPlan } from '../../../core/cdr/cdr-store.ts'
import { anyValues, valuesOf } from '../../../core/cdr/field-values.ts'
import { type Bound, type Clause, type SearchPlan, anyField } from '../../../core/cdr/search-plan.ts'

/** Whether a search may find a CDR, and wants to. */
export function isFound(cdr: Cdr, plan: RemovalPlan & Pick<SearchPlan, 'presenceId'>): boolean {
  return (
    (plan.domain === undefined || cdr.domain_name === plan.domain) &&
    (plan.presenceId === undefined || cdr.presence_id === plan.presenceId) &&
    plan.legs.includes(cdr.leg) &&
    cdr.created_time >= plan.from &&
    cdr.created_time <= plan.to &&
    matches(cdr, plan.query)
  )
}

/** Whether a CDR meets a condition. */
export function matches(cdr: Cdr, clause: Clause): boolean {
  switch (clause.kind) {
    case 'all':
      return true
    case 'none':
      return false
    case 'bool':
      return (
        clause.must.every((part) => matches(cdr, part)) &&
        !clause.mustNot.some((part) => matches(cdr, part)) &&
        clause.should.filter((part) => matches(cdr, part)).length >= clause.leastShould
      )
    case 'equals':
      return comparedOf(cdr, clause.field).some((value) => clause.values.includes(value))
    case 'exists':
      return comparedOf(cdr, clause.field).length > 0
    case 'prefix':
      return textsOf(cdr, clause.field).some((value) => value.startsWith(clause.text))
    case 'wildcard':
      return textsOf(cdr, clause.field).some((value) => matchesPattern(value, clause.pattern))
    case 'range':
      return comparedOf(cdr, clause.field).some((value) => isWithin(value, clause.from, clause.to))
  }
}

/** Orders numbers by size and text by its code points, as UTF-8 is ordered; numbers come before text. */
export function compareValues(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'number' || typeof b === 'number') return typeof a === 'number' ? -1 : 1
  const [left, right] = [Array.from(a), Array.from(b)]
  const at = left.findIndex((char, index) => char !== right[index])
  if (at === -1) return left.length - right.length
  return (left[at]?.codePointAt(0) ?? -1) - (right[at]?.codePointAt(0) ?? -1)
}

function comparedOf(cdr: Cdr, field: string): readonly (string | number)[] {
  return field === anyField ? anyValues(cdr) : valuesOf(cdr, field)
}

function textsOf(cdr: Cdr, field: string): readonly string[] {
  return comparedOf(cdr, field).filter((value) => typeof value === 'string')
}

function isWithin(value: string | number, from: Bound | undefined, to: Bound | undefined): boolean {
  const [above, below] = [from && compareValues(value, from.value), to && compareValues(value, to.value)]
  return (
    (above === undefined || above > 0 || (above === 0 && from?.isInclusive === true)) &&
    (below === undefined || below < 0 || (below === 0 && to?.isInclusive === true))
  )
}

/** The classic two-finger match: on a mismatch only the latest `*` takes one more character. */
function matchesPattern(value: string, pattern: string): boolean {
  const [chars, parts] = [Array.from(value), patternParts(pattern)]
  let [at, part, star, retry] = [0, 0, -1, 0]
  while (at < chars.length) {
    if (parts[part] === many) [star, part, retry] = [part, part + 1, at]
    else if (parts[part] === one || parts[part] === chars[at]) [at, part] = [at + 1, part + 1]
    else if (star !== -1) [part, retry, at] = [star + 1, retry + 1, retry + 1]
    else return false
  }
  return parts.slice(part).every((rest) => rest === many)
}

const [many, one] = [Symbol('any text'), Symbol('any character')]

function patternParts(pattern: string): (string | symbol)[] {
  const parts: (string | symbol)[] = []
  let isEscaped = false
  for (const char of pattern) {
    if (!isEscaped && char === '\\') {
      isEscaped = true
      continue
    }
    parts.push(isEscaped ? char : char === '*' ? many : char === '?' ? one : char)
    isEscaped = false
  }
  if (isEscaped) parts.push('\\')
  return parts
}
