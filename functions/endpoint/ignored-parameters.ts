import type * as z from 'zod/mini'
import type { Route } from '../../contracts/routes/route.ts'
import type { RawRequest } from './read-request.ts'

/** The most characters of the header, and of a name before it is encoded. */
const mostLength = 1_000
const mostCharacters = 64

/**
 * Returns the header that names the query parameters that a route does not know, which changed nothing; no header if
 * there are none. Names are percent-encoded, so that no character of a caller reaches the header as it is.
 */
export function ignoredParameters(
  { query }: Pick<Route, 'query'>,
  raw: RawRequest | undefined,
): Readonly<Record<string, string>> {
  const known = membersOf(query)
  const names = Object.keys(raw?.query ?? {}).filter((name) => !Object.hasOwn(known, name))
  if (names.length === 0) return {}
  let shown = ''
  for (const name of names) {
    const more = `${shown === '' ? '' : ', '}${encodeURIComponent(name.slice(0, mostCharacters).toWellFormed())}`
    if (shown.length + more.length > mostLength) break
    shown += more
  }
  return { 'X-Ignored-Parameters': shown }
}

function membersOf(query: z.ZodMiniType | undefined): object {
  return query !== undefined && 'shape' in query ? Object(query.shape) : {}
}
