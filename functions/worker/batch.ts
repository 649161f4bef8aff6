import type { MiddlewareObj } from '@middy/core'
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda'
import type { BatchMessage } from './handle-batch.ts'

/** A message of a batch and its content, which is absent if it cannot be parsed. */
export interface ReadMessage<M> extends BatchMessage {
  readonly content: M | undefined
  readonly receipt: string
}

/** A batch and the progress of its messages. */
export interface Batch<M> {
  readonly records: readonly SQSRecord[]
  messages: readonly ReadMessage<M>[]
  readonly done: Set<string>
}

/** One step of a worker's chain. */
export type BatchStep<M> = MiddlewareObj<Batch<M>, SQSBatchResponse>
