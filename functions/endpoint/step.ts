import type { MiddlewareObj } from '@middy/core'
import type { Answer } from './answer.ts'
import type { Exchange } from './exchange.ts'

/** One step of an endpoint's chain. A returned value answers the request at once; without one the request goes on. */
export type Step = MiddlewareObj<Exchange, Answer>

/** Returns the value that an earlier step left in the exchange. Throws if that step is missing from the chain. */
export function left<T>(value: T | undefined, step: string): T {
  if (value === undefined) throw new Error(`the chain lacks the step "${step}"`)
  return value
}
