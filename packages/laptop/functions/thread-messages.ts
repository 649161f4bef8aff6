import type { Environment } from './function-environment.ts'

/** A function as the thread gets it at its start. */
export interface HostedFunction {
  readonly name: string
  readonly arn: string
  readonly path: string
  readonly exportName: string
  readonly environment: Environment
  readonly memoryMb: number
}

/** To the thread. */
export type ToThread =
  | {
      readonly kind: 'invoke'
      readonly id: number
      readonly name: string
      readonly requestId: string
      /** Epoch milliseconds. */
      readonly deadlineAt: number
      readonly event: unknown
    }
  /** Asks for a sign of life, after the call of that id ran out of time. */
  | { readonly kind: 'ask'; readonly id: number }

/** From the thread. */
export type FromThread =
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly errorType: string; readonly message: string }
  | { readonly kind: 'alive'; readonly id: number }
