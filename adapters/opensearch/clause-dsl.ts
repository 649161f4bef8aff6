import { variablePrefix } from '../../core/cdr/cdr-fields.ts'
import { type Bound, type Clause, type FieldValue, anyField } from '../../core/cdr/search-plan.ts'
import { fieldKind } from './fields.ts'
import { pairName, variablePair } from './stored-cdr.ts'

/** A query of the search store's language. */
export type Dsl = Readonly<Record<string, unknown>>

/** Returns the query that matches a clause. Nothing in it is scored; every text in it is a value. */
export function clauseDsl(clause: Clause): Dsl {
  switch (clause.kind) {
    case 'all':
      return { match_all: {} }
    case 'none':
      return { match_none: {} }
    case 'bool':
      return boolDsl(clause)
    case 'equals':
    case 'range':
    case 'prefix':
    case 'wildcard':
    case 'exists':
      return clause.field.startsWith(variablePrefix)
        ? variableDsl(clause, clause.field.slice(variablePrefix.length))
        : fieldDsl(clause)
  }
}

function boolDsl({ must, mustNot, should, leastShould }: Extract<Clause, { readonly kind: 'bool' }>): Dsl {
  // An empty bool matches everything in the search store, whatever its minimum of matches.
  if (leastShould > should.length) return { match_none: {} }
  return {
    bool: {
      filter: must.map(clauseDsl),
      must_not: mustNot.map(clauseDsl),
      // If none has to hold, none is sent: otherwise the search store would require one in a bool without other
      // clauses.
      should: leastShould === 0 ? [] : should.map(clauseDsl),
      minimum_should_match: leastShould,
    },
  }
}

type FieldClause = Extract<Clause, { readonly field: string }>

function fieldDsl(clause: FieldClause): Dsl {
  const { field } = clause
  switch (clause.kind) {
    case 'equals':
      return terms(field, field === anyField ? clause.values.map(String) : clause.values)
    case 'range': {
      const { from, to } = clause
      const format = fieldKind(field) === 'date' ? { format: 'epoch_millis' } : {}
      return { range: { [field]: { ...edge('gt', from), ...edge('lt', to), ...format } } }
    }
    case 'prefix':
      return { prefix: { [field]: { value: clause.text } } }
    case 'wildcard':
      return { wildcard: { [field]: { value: clause.pattern } } }
    case 'exists':
      return { exists: { field } }
  }
}

function variableDsl(clause: FieldClause, name: string): Dsl {
  const field = 'pairs'
  const start = `${pairName(name)}=`
  switch (clause.kind) {
    case 'equals':
      return terms(
        field,
        clause.values.map((value) => variablePair(name, String(value))),
      )
    case 'range': {
      const from = clause.from && { ...clause.from, value: `${start}${clause.from.value}` }
      const to = clause.to && { ...clause.to, value: `${start}${clause.to.value}` }
      // The character after `=` ends the terms of this name.
      const end = `${pairName(name)}>`
      return {
        range: {
          [field]: {
            ...edge('gt', from ?? { value: start, isInclusive: true }),
            ...edge('lt', to ?? { value: end, isInclusive: false }),
          },
        },
      }
    }
    case 'prefix':
      return { prefix: { [field]: { value: `${start}${clause.text}` } } }
    case 'wildcard':
      return { wildcard: { [field]: { value: `${literalPattern(start)}${clause.pattern}` } } }
    case 'exists':
      return { prefix: { [field]: { value: start } } }
  }
}

function terms(field: string, values: readonly FieldValue[]): Dsl {
  const [only] = values
  return values.length === 1 && only !== undefined
    ? { term: { [field]: { value: only } } }
    : { terms: { [field]: values } }
}

function edge(side: 'gt' | 'lt', bound: Bound | undefined): Dsl {
  return bound === undefined ? {} : { [bound.isInclusive ? `${side}e` : side]: bound.value }
}

function literalPattern(text: string): string {
  return text.replaceAll(/[*?\\]/g, (character) => `\\${character}`)
}
