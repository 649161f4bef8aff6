import { type NameContext, assignmentProblem, nameProblem } from './client-names.ts'
import type { NameLocation } from './closed-lists.ts'
import { invalidField } from '../errors.ts'

/** One `name=value` of a request and its position in it. */
export interface Assignment {
  readonly name: string
  /** An empty value removes the name. */
  readonly value: string
  /** The field's path in the request, for example `parameters[2]`. */
  readonly field: string
  /** The reason why the name cannot be set at all; if it is stored from an earlier version, it can be removed. */
  readonly problem?: string | undefined
}

/** The rules that the assignments of a request are checked against. */
export interface AssignmentRules extends NameContext {
  readonly place: NameLocation
}

/**
 * Splits the `name=value` items of a field at their first `=`; the last value of a duplicate name counts. Throws
 * `invalid_field` for names and values that the closed list of the place does not allow; a name without a value is
 * judged when it is merged.
 */
export function readAssignments(
  field: string,
  items: readonly string[] = [],
  { place, ...context }: AssignmentRules,
): Assignment[] {
  const byName = new Map<string, Assignment>()
  for (const [index, item] of items.entries()) {
    const assignment = split(`${field}[${index}]`, item)
    const { name, value } = assignment
    const problem = value === '' ? nameProblem(place, name, context) : assignmentProblem(place, name, value, context)
    if (problem !== undefined && value !== '') throw invalidField(assignment.field, problem)
    byName.set(name, { ...assignment, problem })
  }
  return [...byName.values()]
}

/**
 * Merges assignments over existing settings: a value sets its name, an empty value removes it. Throws `invalid_field`
 * for the removal of a name that clients may not set and that is not stored.
 */
export function mergeAssignments(
  existing: Readonly<Record<string, string>>,
  assignments: readonly Assignment[],
): Record<string, string> {
  const merged = new Map(Object.entries(existing))
  for (const { name, value, field, problem } of assignments) {
    if (problem !== undefined && !merged.has(name)) throw invalidField(field, problem)
    if (value === '') merged.delete(name)
    else merged.set(name, value)
  }
  return Object.fromEntries(merged)
}

function split(field: string, item: string): Assignment {
  const at = item.indexOf('=')
  if (at < 1) throw invalidField(field, 'must be "name=value"')
  return { field, name: item.slice(0, at), value: item.slice(at + 1) }
}
