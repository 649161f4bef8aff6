import type { Route } from '../../contracts/routes/route.ts'
import { decidePermission } from '../../core/access/permission.ts'
import { resolveDomain } from '../../core/access/resolve-domain.ts'
import type { AccessScope } from '../../core/access/acl.ts'
import { invalidField } from '../../core/errors.ts'
import { type Answer, successAnswer } from './answer.ts'
import { authenticateEngine, authenticateToken } from './authenticate.ts'
import { checkFields } from './check-fields.ts'
import type { Exchange } from './exchange.ts'
import { type RawRequest, checkSize, readRequest } from './read-request.ts'
import { Reply } from './reply.ts'
import type { EndpointTools, OwnPorts } from './tools.ts'
import type { TouchSession } from './touch-session.ts'

/** One endpoint: its record, its ports and what it does with them, whose types its maker has matched. */
export interface Endpoint {
  readonly route: Route
  readonly ports: OwnPorts
  readonly useCase: (request: never, ports: never) => unknown
  readonly tools: EndpointTools
  readonly touchSession: TouchSession
}

/**
 * Checks a request in the contract's order, each step only once the one before has passed, and hands it to the use
 * case. Limits on the rate of requests belong between size and authentication.
 */
export async function runExchange(exchange: Exchange, endpoint: Endpoint): Promise<Answer> {
  const { route, ports, useCase } = endpoint
  checkSize(exchange.event, route)
  await authenticate(exchange, endpoint)
  const raw = readRequest(exchange.event, route)
  exchange.domain = await domainOf(exchange, endpoint, raw)
  exchange.log = exchange.log.with({ domain: exchange.domain ?? '' })
  const scope = scopeFor(exchange, route)
  const fields = fieldsOf(route, raw)
  exchange.fields = fieldNames(fields.body)
  exchange.entered = true
  // The schemas of this very route made the fields, and its rules the caller and the domain.
  const result = await useCase(requestFor(exchange, endpoint, scope, fields) as never, ports as never)
  return successAnswer(checkedResult(route, result), exchange.requestId, route.responseType)
}

async function authenticate(exchange: Exchange, endpoint: Endpoint): Promise<void> {
  const { route, ports, tools, touchSession } = endpoint
  const { headers } = exchange.event
  if (route.authentication === 'engine') await authenticateEngine(headers, own(ports.secrets))
  if (route.authentication !== 'token') return
  const now = tools.clock.now()
  const judged = { now, rootName: tools.settings.rootName }
  exchange.caller = await authenticateToken(headers, own(ports.credentials), judged)
  exchange.beside.push(touchSession(own(ports.sessions), exchange.caller, now, exchange.log))
}

/** A port that the route's record says is there; without it the function was wired wrongly. */
function own<T>(port: T | undefined): Required<T> {
  if (port === undefined) throw new Error('a port of the wrapper itself is missing')
  return port as Required<T>
}

async function domainOf({ caller }: Exchange, { route, ports }: Endpoint, raw: RawRequest): Promise<string | null> {
  const rule = route.domain
  if (rule === 'none' || caller === undefined) return null
  return resolveDomain(caller, { query: raw.query['domain'], body: bodyDomain(raw.body) }, rule, own(ports.domains))
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
    body: body && checkFields(body, raw.body === undefined ? {} : raw.body),
  }
}

/** The names that the body's schema knows and the caller set: of one record, or of a list of them. */
function fieldNames(body: unknown): string[] {
  const records: unknown[] = Array.isArray(body) ? body : [body]
  return [...new Set(records.flatMap((record) => Object.keys(Object(record))))].sort()
}

function requestFor(exchange: Exchange, { tools }: Endpoint, scope: AccessScope, fields: Fields): object {
  return {
    ...fields,
    caller: exchange.caller ?? null,
    domain: exchange.domain,
    scope,
    requestId: exchange.requestId,
    sourceAddress: exchange.event.requestContext.http.sourceIp,
    clock: tools.clock,
    random: tools.random,
    settings: tools.settings,
    log: exchange.log,
    actAs: (username: string, domain: string) => {
      exchange.actor = { username, domain }
    },
  }
}

/** The result as the route's response schema lets it through: nothing that the contract does not name leaves. */
function checkedResult(route: Route, result: unknown): Reply<unknown> {
  const { body, status, headers } = result instanceof Reply ? result : new Reply(result, 200, {})
  const checked = route.response.safeParse(body)
  if (checked.success) return new Reply(checked.data, status, headers)
  const paths = checked.error.issues.map(({ path }) => path.map(String).join('.'))
  throw new Error(`the answer does not have the form that the route declares: ${paths.slice(0, 5).join(', ')}`)
}
