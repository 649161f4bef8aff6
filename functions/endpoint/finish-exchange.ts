import { type Route, isAudited } from '../../contracts/routes/route.ts'
import { errorStatus } from '../../contracts/routes/shapes.ts'
import { DomainError } from '../../core/errors.ts'
import { rateHeaders } from '../../core/requests/rate-limit.ts'
import { type Answer, errorAnswer } from './answer.ts'
import { late, withDeadline } from './deadline.ts'
import { ignoredParameters } from './ignored-parameters.ts'
import type { Exchange } from './exchange.ts'
import type { EndpointDeps, OwnPorts } from './tools.ts'
import { withTransportSecurity } from './transport-security.ts'

const patienceMs = 400

/** Turns an error into an answer, and logs it if it is a failure of the service. */
export function failExchange(exchange: Exchange, error: unknown): Answer {
  const isRefusal = error instanceof DomainError && errorStatus[error.code] < 500
  if (!isRefusal) exchange.log.error('request failed', error)
  return errorAnswer(error, exchange.requestId)
}

/**
 * Ends a request: waits briefly for its audit record and its other background writes, then logs one line. The answer is
 * already decided and stays. If a record cannot be written, that is logged as an error and does not turn a success into
 * a failure.
 */
export async function finishExchange(
  exchange: Exchange,
  route: Route,
  audit: OwnPorts['audit'],
  { clock, settings }: EndpointDeps,
  answer: Answer,
): Promise<Answer> {
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
  return withTransportSecurity({ ...answer, headers }, settings.publicUrl)
}

/**
 * Returns whether the trail gets a record: every request of an authenticated caller; of other requests (a login) those
 * that reached the use case and were not throttled, so that the trail cannot be flooded without a credential.
 */
function isRecorded({ caller, entered }: Exchange, { statusCode }: Answer): boolean {
  return caller !== undefined || (entered && statusCode !== errorStatus.locked_out && statusCode !== 400)
}

interface Ending {
  /** Epoch milliseconds. */
  readonly at: number
  readonly answer: Answer
}

async function recordExchange(
  exchange: Exchange,
  route: Route,
  audit: OwnPorts['audit'],
  ending: Ending,
): Promise<void> {
  const isNewSource = await exchange.isNewSource
  if (isNewSource) await writeAudit(exchange, audit, ending, 'static-token use by a new source')
  else if (isAudited(route) && isRecorded(exchange, ending.answer)) await writeAudit(exchange, audit, ending)
}

async function writeAudit(
  exchange: Exchange,
  audit: OwnPorts['audit'],
  { at, answer }: Ending,
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
