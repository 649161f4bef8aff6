import type { Route } from '../../../contracts/routes/route.ts'
import {
  type Precondition,
  bothOf,
  noPrecondition,
  preconditionFailed,
  readIfMatch,
  readIfNoneMatch,
} from '../../../core/requests/precondition.ts'
import { checkFields } from '../check-fields.ts'
import type { CheckedFields, Exchange } from '../exchange.ts'
import { listCursors } from '../list-cursors.ts'
import type { RawRequest } from '../read-request.ts'
import { type Step, left } from '../step.ts'

/** Checks the cursor, the fields, `If-Match` and `If-None-Match` of a request, as the route declares them. */
export function fieldValidation(route: Route): Step {
  return {
    before: ({ event: exchange }) => {
      const cursors = listCursors(route, exchange.domain, left(exchange.raw, 'request syntax'))
      const fields = fieldsOf(route, cursors.request)
      exchange.checked = { ...fields, precondition: preconditionOf(exchange, route), cursors }
      exchange.fields = route.rawBody === true ? [] : fieldNames(fields.body)
    },
  }
}

function fieldsOf(route: Route, raw: RawRequest): Pick<CheckedFields, 'params' | 'query' | 'body'> {
  const body = route.form ?? route.body
  return {
    params: route.params && checkFields(route.params, raw.params),
    query: route.query && checkFields(route.query, raw.query),
    body: route.rawBody === true ? raw.body : body && checkFields(body, raw.body === undefined ? {} : raw.body),
  }
}

/**
 * Returns what a change requires of its record. A record without versions never matches a version that `If-Match`
 * names, and exists unless the request creates it.
 */
function preconditionOf({ event }: Exchange, { method, versioned, creates }: Route): Precondition {
  const { 'if-match': match, 'if-none-match': noneMatch } = event.headers
  if (method === 'GET' || method === 'POST') return noPrecondition
  const unless = readIfNoneMatch(noneMatch)
  const precondition = bothOf(readIfMatch(match), unless)
  if (versioned === true) return precondition
  if (!precondition.allows(undefined) || (creates !== true && !unless.allows('""'))) throw preconditionFailed()
  return precondition
}

function fieldNames(body: unknown): string[] {
  const records: unknown[] = Array.isArray(body) ? body : [body]
  return [...new Set(records.flatMap((record) => Object.keys(Object(record))))].sort()
}
