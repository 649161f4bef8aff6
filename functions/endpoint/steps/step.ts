import type { MiddlewareObj } from '@middy/core'
import type { Answer } from '../answer.ts'
import type { Exchange } from '../exchange.ts'

/** One step of an endpoint's chain. What it returns answers the request at once; a step that returns nothing lets it go on. */
export type Step = MiddlewareObj<Exchange, Answer>

/** Returns what an earlier step left in the exchange. Throws where that step is missing from the chain. */
export function left<T>(value: T | undefined, step: string): T {
  if (value === undefined) throw new Error(`the chain lacks the step "${step}"`)
  return value
}
