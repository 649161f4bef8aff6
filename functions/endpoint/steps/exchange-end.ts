import type { Endpoint } from '../endpoint-parts.ts'
import { failExchange, finishExchange } from '../finish-exchange.ts'
import type { Answer } from '../answer.ts'
import type { Exchange } from '../exchange.ts'
import type { Step } from '../step.ts'

/** Turns an error into the one error body, and ends every request: audit trail, concurrency slot, log, headers. */
export function exchangeEnd({ route, ports, tools }: Endpoint): Step {
  const finish = (exchange: Exchange, answer: Answer) => finishExchange(exchange, route, ports.audit, tools, answer)
  return {
    after: ({ event, response }) => finish(event, response as Answer),
    onError: ({ event, error }) => finish(event, failExchange(event, error)),
  }
}
