import { DomainError } from '../../errors.ts'

/**
 * Returns the refusal of a part of a search: 400 `query_refused`. `at` is its path in the body, `problem` says what to
 * do.
 */
export function refused(at: string, problem: string): DomainError {
  return new DomainError('query_refused', `${at}: ${problem}`, { details: [{ field: at, problem }] })
}

/** Returns a JSON object as a map, so that no name reaches a prototype. Throws `query_refused` for anything else. */
export function objectAt(value: unknown, at: string): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refused(at, 'must be an object')
  return new Map(Object.entries(value))
}

/** Refuses members that are not named. */
export function checkMembers(members: ReadonlyMap<string, unknown>, allowed: readonly string[], at: string): void {
  for (const name of members.keys()) {
    if (!allowed.includes(name)) throw refused(`${at}.${name}`, `is not offered; offered are ${allowed.join(', ')}`)
  }
}

/** Characters of a text that CDRs are compared with. Longer values are in no CDR. */
const maxText = 1024

/** Reads a text of at most 1024 characters. */
export function textAt(value: unknown, at: string): string {
  if (typeof value !== 'string') throw refused(at, 'must be text')
  if (value.length > maxText) throw refused(at, `must have at most ${maxText} characters`)
  return value
}
