import type { Cdr } from './cdr.ts'
import { type PlainField, plainFields, recordingFields, variablePrefix } from './cdr-fields.ts'

const plain: ReadonlyMap<string, PlainField> = new Map(plainFields.map((name) => [name, name]))

/**
 * Returns the values of a field of the contract in a CDR: an empty list if its source was absent, several for
 * `recordings.…`.
 */
export function valuesOf(cdr: Cdr, field: string): readonly (string | number)[] {
  if (field.startsWith(variablePrefix)) {
    const name = field.slice(variablePrefix.length)
    const value = Object.hasOwn(cdr.variables, name) ? cdr.variables[name] : undefined
    return value === undefined ? [] : [value]
  }
  const name = plain.get(field)
  const value = name === undefined ? undefined : cdr[name]
  if (value !== undefined) return [value]
  const ofRecording = recordingFields.find((known) => field === `recordings.${known}`)
  return ofRecording === undefined ? [] : (cdr.recordings ?? []).map((recording) => recording[ofRecording])
}

/**
 * Returns the values that `anyField` is compared with: every value of a CDR except variables and recordings, as text.
 * Numbers are decimal, the date is ISO 8601 with milliseconds in UTC. Each value appears once.
 */
export function anyValues(cdr: Cdr): readonly string[] {
  const values = plainFields.flatMap((name) => (cdr[name] === undefined ? [] : [valueText(name, cdr[name])]))
  return [...new Set(values)]
}

function valueText(field: PlainField, value: string | number): string {
  return field === 'created_time' ? new Date(value).toISOString() : String(value)
}
