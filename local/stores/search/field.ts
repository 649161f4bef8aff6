import { fieldTypeOf, plainFields, recordingFields } from '../../../core/cdr/cdr-fields.ts'

/** A field that can be searched. */
export interface Field {
  readonly name: string
  readonly type: 'keyword' | 'long' | 'double' | 'date'
  /** The column, with its table: `c` has a row for each document, `b` the rarely requested fields. */
  readonly column: string
  /** The column holds all values, as {@link valueList} writes them. */
  readonly isList: boolean
  /** Every document has it. */
  readonly isAlwaysThere: boolean
}

const kinds = { text: 'keyword', integer: 'long', decimal: 'double', date: 'date' } as const

const alwaysThere: ReadonlySet<string> = new Set(['uuid', 'domain_name', 'leg', 'created_time'])

/** Fields with one value, each a column of its name. */
export const columnFields: readonly Field[] = plainFields.map((name) => ({
  name,
  type: kinds[fieldTypeOf(name) ?? 'text'],
  column: `c.${name}`,
  isList: false,
  isAlwaysThere: alwaysThere.has(name),
}))

/** Fields with any number of values. */
export const listFields: readonly Field[] = [
  'any',
  'pairs',
  ...recordingFields.map((name) => `recordings.${name}`),
].map((name) => ({
  name,
  type: kinds[fieldTypeOf(name) ?? 'text'],
  column: `b.${listColumn(name)}`,
  isList: true,
  isAlwaysThere: false,
}))

const fields: ReadonlyMap<string, Field> = new Map([...columnFields, ...listFields].map((field) => [field.name, field]))

/** Returns the field of a name; absent for names that no document can have. */
export function fieldOf(name: string): Field | undefined {
  return fields.get(name)
}

/** Returns the column of a field with several values, without its table. */
export function listColumn(name: string): string {
  return `list_${name.replace('.', '_')}`
}

const separator = '\u001f'
const escape = '\u001e'

/**
 * Returns values as one text, so that one of them is found between two separators: empty without values, otherwise with
 * a separator before and after each.
 */
export function valueList(values: readonly (string | number)[]): string {
  return values.length === 0 ? '' : `${separator}${values.map(listed).join(separator)}${separator}`
}

/** Returns the values of a list, as text. */
export function valuesIn(list: string): string[] {
  return list === '' ? [] : list.slice(1, -1).split(separator).map(unlisted)
}

/** Returns a value as written in a list; `prefix`: for values that begin with it. */
export function listedAs(value: string, part: 'whole' | 'prefix'): string {
  return `${separator}${listed(value)}${part === 'whole' ? separator : ''}`
}

/** A value that has the separator in it is written so that it does not. */
function listed(value: string | number): string {
  return String(value).replaceAll(escape, `${escape}0`).replaceAll(separator, `${escape}1`)
}

function unlisted(value: string): string {
  return value.replaceAll(`${escape}1`, separator).replaceAll(`${escape}0`, escape)
}
