import type { MiddlewareObj } from '@middy/core'
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda'
import type { BatchMessage } from './handle-batch.ts'

/** A message of a batch, and what it holds; nothing where that cannot be read. */
export interface ReadMessage<M> extends BatchMessage {
  readonly content: M | undefined
}

/** A batch on its way. */
export interface Batch<M> {
  readonly records: readonly SQSRecord[]
  /** Its messages, once they are read. */
  messages: readonly ReadMessage<M>[]
  /** The ids of the messages that are over for good. */
  readonly done: Set<string>
}

/** One step of a worker's chain. */
export type BatchStep<M> = MiddlewareObj<Batch<M>, SQSBatchResponse>
