// oxlint-disable-next-line import/no-named-as-default -- its types know the default export only
import middy from '@middy/core'
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { createLogger } from '../adapters/log/logger.ts'
import { withTimeLimit } from '../adapters/time-limit.ts'
import type { Route } from '../contracts/routes/route.ts'
import { DomainError } from '../core/errors.ts'
import type { PortName, PortsOf } from '../core/ports.ts'
import { type Answer, errorAnswer, requestIdOf } from './endpoint/answer.ts'
import { type MakePort, cloudContext, cloudOwnPorts, cloudTools } from './endpoint/cloud.ts'
import { late, withDeadline } from './endpoint/deadline.ts'
import { type Exchange, beginExchange } from './endpoint/exchange.ts'
import { failExchange, finishExchange } from './endpoint/finish-exchange.ts'
import { rateLimiter } from './endpoint/rate-limiter.ts'
import { requestsAtOnce } from './endpoint/requests-at-once.ts'
import { runExchange } from './endpoint/run-exchange.ts'
import type { EndpointTools, OwnPorts } from './endpoint/tools.ts'
import { sessionToucher } from './endpoint/touch-session.ts'
import type { UseCase } from './endpoint/use-case.ts'

export { Bytes, Redirect, okData, okInfo, reply } from './endpoint/reply.ts'

/** The cloud adapter of each port that a route needs: exactly those, no more and no fewer. */
export type AdaptersOf<R extends Route> = { readonly [P in keyof R['needs'] & PortName]: MakePort<P> }

/** Answers one request of the gateway (payload format 2.0). It never rejects. */
export type EndpointHandler = (
  event: APIGatewayProxyEventV2,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<Answer>

/** A route's handler over cloud adapters, and the same over any other. */
export interface CloudEndpoint<R extends Route> extends EndpointHandler {
  readonly route: R
  readonly over: (ports: PortsOf<R['needs']> & OwnPorts, tools: EndpointTools) => EndpointHandler
}

/** The whole of a request takes at most this long, by the contract's section on limits. */
export const requestLimitMs = 28_000
/** A request that would outlive its function answers for itself this much earlier. */
const reserveMs = 500
const lateText = 'the request took too long; what it asked for may still happen'

/**
 * The handler of a route, over given ports. Checks run in the contract's order: size, authentication, body syntax,
 * domain, permission, fields; the use case then judges existence and state. Every refusal and every failure becomes
 * the contract's error body. But for the times at which users were last noted as active, nothing of a request stays.
 */
export function createEndpoint<const R extends Route>(
  route: R,
  ports: PortsOf<R['needs']> & OwnPorts,
  useCase: UseCase<R>,
  tools: EndpointTools,
): EndpointHandler {
  const limit = rateLimiter(route, tools.settings.rateLimits)
  const atOnce = requestsAtOnce(route, tools.settings.rateLimits)
  const endpoint = { route, ports, useCase, tools, touchSession: sessionToucher(), limit, atOnce }
  const finish = (exchange: Exchange, answer: Answer) =>
    finishExchange(exchange, route, (ports as OwnPorts).audit, tools, answer)
  const handle = middy<Exchange, Answer>(async (exchange: Exchange, context: Context) => {
    const limitMs = context.getRemainingTimeInMillis() - reserveMs
    const limit = { until: tools.clock.now() + limitMs, clock: tools.clock }
    const work = withTimeLimit(limit, () => runExchange(exchange, endpoint))
    const answer = await withDeadline(work, limitMs)
    if (answer === late) throw new DomainError('deadline_exceeded', lateText)
    return answer
  })
    .after(({ event, response }) => finish(event, response as Answer))
    .onError(({ event, error }) => finish(event, failExchange(event, error)))
  return async (event, context) => handle(beginExchange(event, tools), budgetOf(context))
}

/**
 * The handler of a route over cloud adapters, which are made from the process's environment at the first request and
 * kept. What the environment lacks fails every request, and the log names the variable.
 */
export function endpoint<const R extends Route>(
  route: R,
  adapters: AdaptersOf<R>,
  useCase: UseCase<R>,
): CloudEndpoint<R> {
  let handler: Promise<EndpointHandler> | undefined
  const make = async () => {
    const context = cloudContext()
    const made = Object.entries<MakePort<PortName>>(adapters).map(([name, adapter]) => [name, adapter(context)])
    const ports = { ...(await cloudOwnPorts(route, context)), ...Object.fromEntries(made) }
    return createEndpoint(route, ports, useCase, cloudTools(context, route.operationId))
  }
  const answer: EndpointHandler = async (event, context) => {
    try {
      return await (await (handler ??= make()))(event, context)
    } catch (error) {
      return failUnmade(route, event, error)
    }
  }
  return Object.assign(answer, {
    route,
    over: (ports: PortsOf<R['needs']> & OwnPorts, tools: EndpointTools) => createEndpoint(route, ports, useCase, tools),
  })
}

/** The time that a request has: what is left of the function's, and no more than the contract allows. */
function budgetOf(context: Pick<Context, 'getRemainingTimeInMillis'>): Context {
  const remainingMs = Math.min(context.getRemainingTimeInMillis(), requestLimitMs + reserveMs)
  return { getRemainingTimeInMillis: () => remainingMs } as Context
}

function failUnmade(route: Route, event: APIGatewayProxyEventV2, error: unknown): Answer {
  const { env, random } = cloudContext()
  const requestId = requestIdOf(event.headers, () => random.uuid())
  createLogger(route.operationId, { env }).error('endpoint not made', error, { requestId })
  return errorAnswer(error, requestId)
}
