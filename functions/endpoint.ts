import { default as middy } from '@middy/core'
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { createLogger } from '../adapters/log/logger.ts'
import type { Route } from '../contracts/routes/route.ts'
import { DomainError } from '../core/errors.ts'
import type { PortName, PortsOf } from '../contracts/ports.ts'
import { type HttpResponse, errorResponse, requestIdOf } from './endpoint/response.ts'
import { type MakePort, cloudContext, cloudTools } from './endpoint/cloud.ts'
import { cloudOwnPorts } from './endpoint/own-ports.ts'
import { reserveMs, runInTime } from './endpoint/deadline.ts'
import { type Exchange, beginExchange } from './endpoint/exchange.ts'
import { authentication, credentialRead } from './endpoint/steps/authentication.ts'
import { domainResolution } from './endpoint/steps/domain-resolution.ts'
import { exchangeEnd } from './endpoint/steps/exchange-end.ts'
import { fieldValidation } from './endpoint/steps/field-validation.ts'
import { permissionCheck } from './endpoint/steps/permission-check.ts'
import { RateLimit } from './endpoint/steps/rate-limit.ts'
import { requestKey } from './endpoint/steps/request-key.ts'
import { requestSyntax, sizeLimit } from './endpoint/steps/request-syntax.ts'
import { requestsAtOnce } from './endpoint/steps/requests-at-once.ts'
import type { EndpointDeps, OwnPorts } from './endpoint/endpoint-parts.ts'
import { useCaseCall } from './endpoint/use-case-call.ts'
import type { UseCase } from './endpoint/use-case.ts'

export { Bytes, Redirect, okData, okInfo, reply } from './endpoint/reply.ts'

/** The cloud adapter of each port that a route needs: exactly those, no more and no fewer. */
export type AdaptersOf<R extends Route> = { readonly [P in keyof R['needs'] & PortName]: MakePort<P> }

/** Answers one request of the gateway (payload format 2.0). It never rejects. */
export type EndpointHandler = (
  event: APIGatewayProxyEventV2,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<HttpResponse>

/** A route's handler over cloud adapters, and the same over any other. */
export interface CloudEndpoint<R extends Route> extends EndpointHandler {
  readonly route: R
  readonly over: (ports: PortsOf<R['needs']> & OwnPorts, tools: EndpointDeps) => EndpointHandler
}

/** The most time that a whole request takes, by the contract's section on limits. */
export const requestLimitMs = 28_000
const lateText = 'the request took too long; what it asked for may still happen'

/**
 * Creates the handler of a route over given ports. Its chain is the contract's order of checks; the use case then
 * judges existence and state. Every refusal and every failure becomes the contract's error body. The only state that
 * outlives a request is the time at which each user was last recorded as active, the refused rate limits and the
 * domains of tokens.
 */
export function createEndpoint<const R extends Route>(
  route: R,
  ports: PortsOf<R['needs']> & OwnPorts,
  useCase: UseCase<R>,
  tools: EndpointDeps,
): EndpointHandler {
  const endpoint = { route, ports, useCase, tools }
  const rates = new RateLimit(endpoint)
  const places = requestsAtOnce(endpoint)
  // Not @middy/http-json-body-parser, which accepts duplicate keys; not @middy/http-error-handler, whose error body is
  // different; and not middy's early timeout, which stops the handler alone and not the steps before it.
  const chain = middy<Exchange, HttpResponse>({ timeoutEarlyInMillis: 0 })
    .use(sizeLimit(route))
    .use(credentialRead(endpoint))
    .use(places.ask)
    .use(rates.ofPresenter)
    .use(authentication(endpoint))
    .use(places.require)
    .use(rates.ofDomain)
    .use(requestSyntax(route))
    .use(domainResolution(endpoint))
    .use(permissionCheck(route))
    .use(fieldValidation(route))
    .use(requestKey(endpoint))
    .handler(useCaseCall(endpoint))
  const inTime = middy<Exchange, HttpResponse>({ timeoutEarlyInMillis: 0 })
    .use(exchangeEnd(endpoint))
    .handler((exchange, context) => runInTime(context, tools.clock, () => chain(exchange, context), tooLate))
  return async (event, context) => inTime(beginExchange(event, tools), budgetOf(context))
}

const tooLate = () => new DomainError('deadline_exceeded', lateText)

/** Whether this process runs a function, as opposed to a test or a tool that imports one. */
const isFunctionProcess = process.env['AWS_LAMBDA_FUNCTION_NAME'] !== undefined

/**
 * Returns the handler of a route over cloud adapters. They are made once, from the process's environment: while a
 * function loads, when Lambda gives it a whole processor, and elsewhere at the first request. What the environment
 * lacks fails every request, and the log names the variable.
 */
export function endpoint<const R extends Route>(
  route: R,
  adapters: AdaptersOf<R>,
  useCase: UseCase<R>,
): CloudEndpoint<R> {
  let handler: EndpointHandler | undefined
  const make = (): EndpointHandler => {
    const context = cloudContext()
    const made = Object.entries<MakePort<PortName>>(adapters).map(([name, adapter]) => [name, adapter(context)])
    const ports = { ...cloudOwnPorts(route, context), ...Object.fromEntries(made) }
    return createEndpoint(route, ports, useCase, cloudTools(context, route.operationId))
  }
  const answer: EndpointHandler = async (event, context) => {
    try {
      return await (handler ??= make())(event, context)
    } catch (error) {
      return failUnmade(route, event, error)
    }
  }
  if (isFunctionProcess) {
    try {
      handler = make()
    } catch {
      // Every request makes it again, and fails with the same error.
    }
  }
  return Object.assign(answer, {
    route,
    over: (ports: PortsOf<R['needs']> & OwnPorts, tools: EndpointDeps) => createEndpoint(route, ports, useCase, tools),
  })
}

/** Returns the time that a request has: the rest of the function's time, and no more than the contract allows. */
function budgetOf(context: Pick<Context, 'getRemainingTimeInMillis'>): Context {
  const remainingMs = Math.min(context.getRemainingTimeInMillis(), requestLimitMs + reserveMs)
  return { getRemainingTimeInMillis: () => remainingMs } as Context
}

function failUnmade(route: Route, event: APIGatewayProxyEventV2, error: unknown): HttpResponse {
  const { env, random } = cloudContext()
  const requestId = requestIdOf(event.headers, () => random.uuid())
  createLogger(route.operationId, { env }).error('endpoint not made', error, { requestId })
  return errorResponse(error, requestId)
}
