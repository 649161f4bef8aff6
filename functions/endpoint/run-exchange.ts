import type { Route } from '../../contracts/routes/route.ts'
import { decidePermission } from '../../core/access/permission.ts'
import { type ResolvedDomain, resolveDomain } from '../../core/access/resolve-domain.ts'
import type { AccessScope } from '../../core/access/acl.ts'
import {
  type Precondition,
  noPrecondition,
  preconditionFailed,
  readIfMatch,
} from '../../core/concurrency/precondition.ts'
import { tenancyStart } from '../../core/domains/tenancy-start.ts'
import { sourceNetwork } from '../../core/auth/source-network.ts'
import { invalidField } from '../../core/errors.ts'
import type { SessionStore } from '../../core/auth/credentials.ts'
import type { Caller } from '../../core/auth/token.ts'
import { type Answer, successAnswer } from './answer.ts'
import { accepting } from './accepting.ts'
import { authenticateEngine, authenticateToken } from './authenticate.ts'
import { checkFields } from './check-fields.ts'
import { type Endpoint, own } from './endpoint-parts.ts'
import type { Exchange } from './exchange.ts'
import { listCursors } from './list-cursors.ts'
import { type RawRequest, checkSize, readRequest } from './read-request.ts'
import { Bytes, Redirect, Reply } from './reply.ts'
import { runOnce } from './run-once.ts'

/**
 * Checks a request in the contract's order, each step only once the one before has passed, and hands it to the use
 * case: at once, or once for an `Idempotency-Key`.
 */
export async function runExchange(exchange: Exchange, endpoint: Endpoint): Promise<Answer> {
  const { route, ports, tools, useCase, limit, atOnce } = endpoint
  checkSize(exchange.event, route)
  const now = tools.clock.now()
  await limit(exchange, ports.rateLimits, now, () =>
    atOnce(exchange, ports.rateLimits, now, () => authenticate(exchange, endpoint)),
  )
  const raw = readRequest(exchange.event, route)
  const domain = await domainOf(exchange, endpoint, raw)
  exchange.domain = domain?.name ?? null
  exchange.domainCreatedAt = domain?.createdAt ?? null
  exchange.log = exchange.log.with({ domain: exchange.domain ?? '' })
  const scope = scopeFor(exchange, route)
  const cursors = listCursors(route, exchange.domain, raw)
  const fields = fieldsOf(route, cursors.request)
  const precondition = preconditionOf(exchange, route)
  exchange.fields = route.rawBody === true ? [] : fieldNames(fields.body)
  exchange.entered = true
  return runOnce(exchange, endpoint, async (random) => {
    // The schemas of this very route made the fields, and its rules the caller and the domain.
    const request = { ...requestFor(exchange, endpoint, scope, fields), precondition, random }
    const result = checkedResult(route, await useCase(request as never, ports as never))
    const bound = result instanceof Reply ? cursors.bound(result) : result
    return successAnswer(bound, exchange.requestId, route.responseType)
  })
}

async function authenticate(exchange: Exchange, endpoint: Endpoint): Promise<void> {
  const { route, ports, tools, touchSession } = endpoint
  const { headers } = exchange.event
  if (route.authentication === 'engine') await authenticateEngine(headers, own(ports.secrets))
  if (route.authentication !== 'token') return
  const now = tools.clock.now()
  const { rootName } = tools.settings
  const judge = { credentials: own(ports.credentials), secrets: own(ports.secrets), now, rootName }
  const caller = await authenticateToken(headers, judge)
  exchange.caller = caller
  exchange.beside.push(touchSession(own(ports.sessions), caller, now, exchange.log))
  if (caller.kind === 'domain-token') exchange.isNewSource = meetSource(exchange, own(ports.sessions), caller, now)
}

/** Notes from where the token of a domain is used. Not to know it is no reason to fail a request. */
async function meetSource(
  { event, log }: Exchange,
  sessions: Pick<SessionStore, 'meet'>,
  { username }: Caller,
  now: number,
): Promise<boolean> {
  try {
    return await sessions.meet(username, sourceNetwork(event.requestContext.http.sourceIp), now)
  } catch (error) {
    log.error('source not noted', error)
    return false
  }
}

async function domainOf(
  { caller }: Exchange,
  { route, ports }: Endpoint,
  raw: RawRequest,
): Promise<ResolvedDomain | null> {
  const rule = route.domain
  if (rule === 'none' || caller === undefined) return null
  const named = { query: raw.query['domain'], body: bodyDomain(raw.body) }
  if (rule !== 'path') return resolveDomain(caller, named, rule, own(ports.domains))
  return resolveDomain(caller, { ...named, path: raw.params['domain_name'] }, 'required', own(ports.domains))
}

function bodyDomain(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'domain')) return undefined
  const { domain } = body as { readonly domain: unknown }
  if (typeof domain !== 'string') throw invalidField('domain', 'must be a domain name')
  return domain
}

function scopeFor({ caller }: Exchange, { permission }: Route): AccessScope {
  return permission === null || caller === undefined ? 'all' : decidePermission(caller.acl, permission)
}

/** What a change demands of its record. What has no versions cannot be in the one that `If-Match` names. */
function preconditionOf({ event }: Exchange, { method, versioned }: Route): Precondition {
  if (method === 'GET' || method === 'POST') return noPrecondition
  const precondition = readIfMatch(event.headers['if-match'])
  if (versioned !== true && !precondition.allows(undefined)) throw preconditionFailed()
  return precondition
}

/** The parts of a request, each read by its schema. */
interface Fields {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

function fieldsOf(route: Route, raw: RawRequest): Fields {
  const body = route.form ?? route.body
  return {
    params: route.params && checkFields(route.params, raw.params),
    query: route.query && checkFields(route.query, raw.query),
    body: route.rawBody === true ? raw.body : body && checkFields(body, raw.body === undefined ? {} : raw.body),
  }
}

/** The names that the body's schema knows and the caller set: of one record, or of a list of them. */
function fieldNames(body: unknown): string[] {
  const records: unknown[] = Array.isArray(body) ? body : [body]
  return [...new Set(records.flatMap((record) => Object.keys(Object(record))))].sort()
}

function sinceOf({ domainCreatedAt }: Exchange, { settings }: Endpoint['tools']): number | undefined {
  return domainCreatedAt === null ? undefined : tenancyStart(domainCreatedAt, settings.deletionGraceSeconds * 1000)
}

function requestFor(exchange: Exchange, { tools }: Endpoint, scope: AccessScope, fields: Fields): object {
  return {
    ...fields,
    caller: exchange.caller ?? null,
    domain: exchange.domain,
    since: sinceOf(exchange, tools),
    scope,
    accepts: accepting(exchange.event.headers['accept']),
    requestId: exchange.requestId,
    sourceAddress: exchange.event.requestContext.http.sourceIp,
    clock: tools.clock,
    settings: tools.settings,
    log: exchange.log,
    actAs: (username: string, domain: string) => {
      exchange.actor = { username, domain }
    },
  }
}

/** The result as the route's response schema lets it through: nothing that the contract does not name leaves. */
function checkedResult(route: Route, result: unknown): Reply<unknown> | Redirect | Bytes {
  if (result instanceof Redirect || result instanceof Bytes) {
    const form = result instanceof Redirect ? 'redirect' : 'bytes'
    if (route.answers?.includes(form) === true) return result
    throw new Error(`the answer is ${form}, which the route does not declare`)
  }
  const { body, status, headers } = result instanceof Reply ? result : new Reply(result, 200, {})
  const checked = route.response.safeParse(body)
  if (route.versioned === true && route.method === 'GET' && headers['ETag'] === undefined) {
    throw new Error('the answer tells no version of the record, as the route declares')
  }
  if (checked.success) return new Reply(checked.data, status, headers)
  const paths = checked.error.issues.map(({ path }) => path.map(String).join('.'))
  throw new Error(`the answer does not have the form that the route declares: ${paths.slice(0, 5).join(', ')}`)
}
