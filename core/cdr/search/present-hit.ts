import type { Cdr } from '../cdr.ts'
import { fieldTypeOf, plainFields } from '../cdr-fields.ts'
import { valuesOf } from '../field-values.ts'
import type { SearchHit } from '../search-plan.ts'

/** A hit in the form of the published API. */
export interface PresentedHit {
  readonly _index: string
  readonly _type: 'cdr'
  readonly _id: string
  readonly _score: null
  readonly fields?: Readonly<Record<string, readonly (string | number)[]>>
  readonly _source?: PresentedCdr
  readonly sort: SearchHit['sort']
}

/** A CDR as the API shows it: the contract's fields, each where it is known. */
export type PresentedCdr = Readonly<Record<string, unknown>>

/** Shows a hit with the columns that were asked for, or as a whole. */
export function presentHit({ cdr, sort }: SearchHit, columns: readonly string[] | undefined): PresentedHit {
  const head = { _index: indexOf(cdr), _type: 'cdr', _id: cdr.uuid, _score: null } as const
  if (columns === undefined) return { ...head, _source: presentCdr(cdr), sort }
  return { ...head, fields: columnsOf(cdr, columns), sort }
}

/** Shows a CDR as a whole: dates are epoch milliseconds. */
export function presentCdr(cdr: Cdr): PresentedCdr {
  const known = plainFields.filter((name) => cdr[name] !== undefined).map((name) => [name, cdr[name]] as const)
  const recordings = cdr.recordings === undefined ? {} : { recordings: cdr.recordings }
  return { ...Object.fromEntries(known), ...recordings, variables: cdr.variables }
}

/** The values of columns, dates as ISO 8601 with milliseconds in UTC. */
function columnsOf(cdr: Cdr, columns: readonly string[]): Readonly<Record<string, readonly (string | number)[]>> {
  const shown = columns.map((column) => [column, columnValues(cdr, column)] as const)
  return Object.fromEntries(shown.filter(([, values]) => values.length > 0))
}

const meant: ReadonlyMap<string, string> = new Map([
  ['_id', 'uuid'],
  ['recordings', 'recordings.name'],
])

function columnValues(cdr: Cdr, column: string): readonly (string | number)[] {
  const field = meant.get(column) ?? column
  const values = valuesOf(cdr, field)
  return fieldTypeOf(field) === 'date' ? values.map((at) => new Date(at).toISOString()) : values
}

/** The index as clients know it: leg, month in UTC, domain. */
function indexOf({ leg, created_time, domain_name }: Cdr): string {
  return `cdr-${leg}-${new Date(created_time).toISOString().slice(0, 7)}-${domain_name}`
}
