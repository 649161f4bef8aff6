import type { Endpoint, EndpointDeps, OwnPorts, Step } from '../endpoint-parts.ts'
import { type HttpResponse, errorResponse, withTransportSecurity } from '../response.ts'
import { compressed } from '../compression.ts'
import type { Exchange } from '../exchange.ts'
import { type Route, isAudited } from '../../../contracts/routes/route.ts'
import { errorStatus } from '../../../contracts/routes/shapes.ts'
import { DomainError } from '../../../core/errors.ts'
import { rateHeaders } from '../../../core/requests/rate-limit.ts'
import { late, withDeadline } from '../deadline.ts'
import type * as z from 'zod/mini'
import type { RawRequest } from '../read-request.ts'

/** Turns an error into the one error body, and ends every request: audit trail, concurrency slot, log, headers. */
export function exchangeEnd({ route, ports, tools }: Endpoint): Step {
  const finish = (exchange: Exchange, answer: HttpResponse) =>
    finishExchange(exchange, route, ports.audit, tools, answer)
  return {
    after: ({ event, response }) => finish(event, response as HttpResponse),
    onError: ({ event, error }) => finish(event, failExchange(event, error)),
  }
}

const patienceMs = 400

/** Turns an error into an answer, and logs it if it is a failure of the service. */
function failExchange(exchange: Exchange, error: unknown): HttpResponse {
  const isRefusal = error instanceof DomainError && errorStatus[error.code] < 500
  if (!isRefusal) exchange.log.error('request failed', error)
  return errorResponse(error, exchange.requestId)
}

/**
 * Ends a request: waits briefly for its audit record and its other background writes, then logs one line. The answer is
 * already decided and stays. If a record cannot be written, that is logged as an error and does not turn a success into
 * a failure.
 */
async function finishExchange(
  exchange: Exchange,
  route: Route,
  audit: OwnPorts['audit'],
  { clock, settings }: EndpointDeps,
  answer: HttpResponse,
): Promise<HttpResponse> {
  exchange.sideWrites.push(recordExchange(exchange, route, audit, { at: clock.now(), answer }))
  if (exchange.leave !== undefined) exchange.sideWrites.push(exchange.leave())
  const written = await withDeadline(Promise.all(exchange.sideWrites), patienceMs)
  if (written === late) exchange.log.error('a background write of the request is late')
  exchange.log.info('request', {
    operation: route.operationId,
    status: answer.statusCode,
    durationMs: clock.now() - exchange.startedAt,
  })
  // A refusal has the headers of the limit that it is about, which may be another one.
  const rate = exchange.rate === undefined ? {} : rateHeaders(exchange.rate)
  const headers = { ...rate, ...ignoredParameters(route, exchange.raw), ...answer.headers }
  const whole = compressed({ ...answer, headers }, exchange.event.headers['accept-encoding'])
  return withTransportSecurity(whole, settings.publicUrl)
}

/**
 * Returns whether the trail gets a record: every request of an authenticated caller; of other requests (a login) those
 * that reached the use case and were not throttled, so that the trail cannot be flooded without a credential.
 */
function isRecorded({ caller, entered }: Exchange, { statusCode }: HttpResponse): boolean {
  return caller !== undefined || (entered && statusCode !== errorStatus.locked_out && statusCode !== 400)
}

interface Outcome {
  /** Epoch milliseconds. */
  readonly at: number
  readonly answer: HttpResponse
}

async function recordExchange(
  exchange: Exchange,
  route: Route,
  audit: OwnPorts['audit'],
  ending: Outcome,
): Promise<void> {
  const isNewSource = await exchange.isNewSource
  if (isNewSource) await writeAudit(exchange, audit, ending, 'static-token use by a new source')
  else if (isAudited(route) && isRecorded(exchange, ending.answer))
    await writeAudit(exchange, audit, ending, exchange.auditNote)
}

async function writeAudit(
  exchange: Exchange,
  audit: OwnPorts['audit'],
  { at, answer }: Outcome,
  note?: string,
): Promise<void> {
  const { event, caller, actor } = exchange
  const { method, sourceIp } = event.requestContext.http
  try {
    if (audit === undefined) throw new Error('a port of the wrapper itself is missing')
    await audit.append({
      at,
      requestId: exchange.requestId,
      caller: caller?.username ?? actor?.username ?? '',
      domain: exchange.domain ?? caller?.domain ?? actor?.domain ?? '',
      sourceAddress: sourceIp,
      method,
      path: event.rawPath,
      status: answer.statusCode,
      fields: exchange.fields,
      ...(note === undefined ? {} : { note }),
    })
  } catch (error) {
    exchange.log.error('audit record not written', error)
  }
}

/** The most characters of the header, and of a name before it is encoded. */
const mostLength = 1_000
const mostCharacters = 64

/**
 * Returns the header that names the query parameters that a route does not know, which changed nothing; no header if
 * there are none. Names are percent-encoded, so that no character of a caller reaches the header as it is.
 */
function ignoredParameters(
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
