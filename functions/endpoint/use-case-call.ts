import type { Route } from '../../contracts/routes/route.ts'
import { isReadable, readIfNoneMatch } from '../../core/requests/precondition.ts'
import { tenancyStart } from '../../core/domains/domain.ts'
import { weightedRanges } from './compression.ts'
import { type HttpResponse, emptyResponse, successResponse } from './response.ts'
import { type Endpoint, requireStep } from './endpoint-parts.ts'
import type { Exchange } from './exchange.ts'
import { Bytes, Redirect, Reply } from './reply.ts'

/** Calls the use case with a request that passed every check, and returns its answer. */
export function useCaseCall({ route, ports, tools, useCase }: Endpoint): (exchange: Exchange) => Promise<HttpResponse> {
  return async (exchange) => {
    const { cursors, ...fields } = requireStep(exchange.checked, 'field validation')
    const scope = requireStep(exchange.scope, 'permission check')
    exchange.entered = true
    // The fields were produced by the schemas of this route, and the caller and the domain by its rules.
    const request = { ...requestFor(exchange, tools), ...fields, scope }
    const result = checkedResult(route, await useCase(request as never, ports as never))
    const bound = result instanceof Reply ? cursors.bound(result) : result
    if (bound instanceof Reply && isUnchanged(route, exchange, bound)) {
      return emptyResponse(304, exchange.requestId, bound.headers)
    }
    return successResponse(bound, exchange.requestId, route.responseType)
  }
}

/** Returns whether the caller has the version of a record that the answer shows: its `If-None-Match`. */
function isUnchanged({ method, versioned }: Route, { event }: Exchange, { headers }: Reply<unknown>): boolean {
  if (method !== 'GET' || versioned !== true) return false
  const header = event.headers['if-none-match']
  // One that cannot be read counts as absent: the caller gets the record.
  return header !== undefined && isReadable(header) && !readIfNoneMatch(header).allows(headers['ETag'])
}

function requestFor(exchange: Exchange, { clock, settings }: Endpoint['tools']): object {
  return {
    caller: exchange.caller ?? null,
    domain: exchange.domain,
    createdAt: exchange.domainCreatedAt ?? undefined,
    since: sinceOf(exchange, settings),
    accepts: accepting(exchange.event.headers['accept']),
    requestId: exchange.requestId,
    sourceAddress: exchange.event.requestContext.http.sourceIp,
    clock,
    random: exchange.random,
    settings,
    log: exchange.log,
    noteInAudit: (note: string) => {
      exchange.auditNote = note
    },
    actAs: (username: string, domain: string) => {
      exchange.actor = { username, domain }
    },
  }
}

function sinceOf({ domainCreatedAt }: Exchange, settings: Endpoint['tools']['settings']): number | undefined {
  return domainCreatedAt === null ? undefined : tenancyStart(domainCreatedAt, settings.deletionGraceSeconds * 1000)
}

/** Returns the result as filtered by the route's response schema: only members that the contract names leave. */
function checkedResult(route: Route, result: unknown): Reply<unknown> | Redirect | Bytes {
  if (result instanceof Redirect || result instanceof Bytes) {
    const form = result instanceof Redirect ? 'redirect' : 'bytes'
    if (route.answers?.includes(form) === true) return result
    throw new Error(`the answer is ${form}, which the route does not declare`)
  }
  const { body, status, headers } = result instanceof Reply ? result : new Reply(result, 200, {})
  const checked = route.response.safeParse(body)
  if (route.versioned === true && route.method === 'GET' && headers['ETag'] === undefined) {
    throw new Error('the answer lacks the version of the record that the route declares')
  }
  if (checked.success) return new Reply(checked.data, status, headers)
  const paths = checked.error.issues.map(({ path }) => path.map(String).join('.'))
  throw new Error(`the answer does not have the form that the route declares: ${paths.slice(0, 5).join(', ')}`)
}

/**
 * Returns a test of media types (`audio/wav`) against an `Accept` header: the most specific matching range accepts the
 * type unless its weight is 0. Without a header every type is accepted.
 */
export function accepting(header: string | undefined): (mediaType: string) => boolean {
  if (header === undefined || header.trim() === '') return () => true
  const ranges = weightedRanges(header)
  return (mediaType) => {
    const names = [mediaType.toLowerCase(), `${mediaType.toLowerCase().split('/')[0]}/*`, '*/*']
    const closest = names.map((name) => ranges.find(({ type }) => type === name)).find((found) => found !== undefined)
    return closest !== undefined && closest.weight > 0
  }
}
