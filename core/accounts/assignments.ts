import { invalidField } from '../errors.ts'

/** One `name=value` of a request and where it stood there. */
export interface Assignment {
  readonly name: string
  /** Empty: the name is to be removed. */
  readonly value: string
  /** The field's path in the request, for example `parameters[2]`. */
  readonly field: string
}

/**
 * Splits the `name=value` items of a field at their first `=`; of a name given twice the last counts. Throws `invalid_field` for a
 * name that clients may not set, and for a value that the engine would expand or that its XML cannot hold.
 */
export function readAssignments(
  field: string,
  items: readonly string[] = [],
  isAllowed: (name: string) => boolean,
): Assignment[] {
  const byName = new Map<string, Assignment>()
  for (const [index, item] of items.entries()) {
    const assignment = split(`${field}[${index}]`, item)
    if (!isAllowed(assignment.name)) throw invalidField(assignment.field, 'is a name that only the service may set')
    checkExpansion(assignment.field, assignment.value)
    byName.set(assignment.name, assignment)
  }
  return [...byName.values()]
}

/** Refuses text that the engine would expand, and characters that XML 1.0 cannot hold. */
export function checkExpansion(field: string, value: string): void {
  if (value.includes('${')) throw invalidField(field, 'must not contain "${", which the engine expands')
  if (/[\ufffe\uffff]/.test(value)) throw invalidField(field, 'must not contain the non-characters U+FFFE and U+FFFF')
}

/** Lays assignments over what is there: a value sets its name, an empty one removes it. */
export function mergeAssignments(
  existing: Readonly<Record<string, string>>,
  assignments: readonly Assignment[],
): Record<string, string> {
  const merged = new Map(Object.entries(existing))
  for (const { name, value } of assignments) {
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
