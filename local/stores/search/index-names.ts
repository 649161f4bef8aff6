import type { Database } from './database.ts'
import { Refusal, badRequest } from './refusal.ts'

/** The indices that a path names; `all` where no document is outside of them. */
export type ChosenIndices = 'all' | readonly number[]

/**
 * Finds indices by names and patterns (`*`), separated by commas. A name without an index is passed over where
 * `isLenient`, and else the error that OpenSearch has for it.
 */
export function chooseIndices(database: Database, expression: string, isLenient: boolean): ChosenIndices {
  const known = [...database.indices].map(([name, id]) => ({ name, id }))
  const chosen = new Set<number>()
  for (const part of expression.split(',')) {
    if (part === '') throw badRequest('an index name is empty', 'invalid_index_name_exception')
    const found = known.filter(({ name }) => (part.includes('*') ? fits(part, name) : name === part))
    if (found.length === 0 && !part.includes('*') && !isLenient) throw noSuchIndex(part)
    for (const { id } of found) chosen.add(id)
  }
  return chosen.size === known.length ? 'all' : [...chosen]
}

/** Returns the error for an index that is not there. */
export function noSuchIndex(name: string): Refusal {
  return new Refusal(404, 'index_not_found_exception', `no such index [${name}]`)
}

/** Returns whether a name fits a pattern with stars. */
export function fits(pattern: string, name: string): boolean {
  const pieces = pattern.split('*')
  const text = pieces.map((piece) => piece.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)).join('.*')
  return new RegExp(`^${text}$`, 's').test(name)
}
