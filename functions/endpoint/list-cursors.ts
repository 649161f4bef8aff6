import { createHash } from 'node:crypto'
import type { Route } from '../../contracts/routes/route.ts'
import { invalidField } from '../../core/errors.ts'
import type { RawRequest } from './read-request.ts'
import { Reply } from './reply.ts'

/** Binds the cursors of one list to that list. */
export interface ListCursors {
  /** The request with the list's own cursor; throws `invalid_field` for a cursor of another list. */
  readonly request: RawRequest
  bound(answer: Reply<unknown>): Reply<unknown>
}

const pageParameters = new Set(['cursor', 'limit', 'page', 'columns', 'domain'])

/** Characters of the tag: 132 bits. */
const tagLength = 22

/**
 * Binds cursors to their list: endpoint, domain, path, sort and filters. A cursor marks a position in a list that its
 * caller may read anyway, so its tag is no secret: it only detects cursors of other lists, and damaged ones.
 */
export function listCursors(route: Route, domain: string | null, raw: RawRequest): ListCursors {
  if (!isList(route)) return { request: raw, bound: (answer) => answer }
  const asked = byName(raw.query).filter(([name]) => !pageParameters.has(name))
  const list = JSON.stringify([route.operationId, domain, byName(raw.params), asked])
  const tagOf = (position: string) =>
    createHash('sha256').update(list).update('\n').update(position).digest('base64url').slice(0, tagLength)
  return {
    request: { ...raw, query: withPosition(raw.query, tagOf) },
    bound({ body, status, headers }) {
      const position = headers['X-Next-Cursor']
      if (position === undefined) return new Reply(body, status, headers)
      return new Reply(body, status, { ...headers, 'X-Next-Cursor': `${position}.${tagOf(position)}` })
    },
  }
}

function byName(values: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))
}

function isList({ query }: Route): boolean {
  return query !== undefined && 'shape' in query && Object.hasOwn(Object(query.shape), 'cursor')
}

function withPosition(query: RawRequest['query'], tagOf: (position: string) => string): RawRequest['query'] {
  const cursor = query['cursor']
  if (cursor === undefined) return query
  const dot = cursor.lastIndexOf('.')
  const position = cursor.slice(0, Math.max(0, dot))
  if (dot < 1 || cursor.slice(dot + 1) !== tagOf(position)) {
    throw invalidField('cursor', 'must be an X-Next-Cursor of this list')
  }
  return { ...query, cursor: position }
}
