import type { Clause } from '../search-plan.ts'

/** A span of time; the ends are included and may be infinite. Epoch milliseconds. */
export interface Span {
  readonly from: number
  readonly to: number
}

const everything: Span = { from: -Infinity, to: Infinity }

const nothing: Span = { from: Infinity, to: -Infinity }

/**
 * Returns a span that contains the creation of every CDR that a condition can match; conditions on other fields make it
 * wider.
 */
export function impliedSpan(clause: Clause): Span {
  switch (clause.kind) {
    case 'none':
      return nothing
    case 'range': {
      if (clause.field !== 'created_time') return everything
      // Dates are read into ends that are included.
      return { from: Number(clause.from?.value ?? -Infinity), to: Number(clause.to?.value ?? Infinity) }
    }
    case 'bool': {
      const all = clause.must.map(impliedSpan)
      if (clause.leastShould > 0) all.push(clause.should.map(impliedSpan).reduce(hull, nothing))
      return all.reduce(overlap, everything)
    }
    case 'all':
    case 'equals':
    case 'prefix':
    case 'wildcard':
    case 'exists':
      return everything
  }
}

function overlap(a: Span, b: Span): Span {
  return { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) }
}

function hull(a: Span, b: Span): Span {
  return { from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) }
}
