import type { Environment } from './function-environment.ts'

/** What the thread is told of a function when it starts. */
export interface HostedFunction {
  readonly name: string
  readonly arn: string
  /** `file:` address of the module. */
  readonly moduleUrl: string
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
  /** The caller waits no more: the instance that still works on it must not be used again. */
  | { readonly kind: 'abandon'; readonly id: number }

/** From the thread. */
export type FromThread =
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly errorType: string; readonly message: string }
  | { readonly kind: 'abandoned'; readonly id: number }
