import type { SQSBatchResponse } from 'aws-lambda'
import type { Log } from '../../adapters/log/logger.ts'
import type { Batch, BatchStep } from './batch.ts'

/** Answers with the messages that must be redelivered: all unfinished ones, also when the batch ended early. */
export function partialFailures<M>(log: Log): BatchStep<M> {
  return {
    after: ({ event }) => notDone(event),
    onError: ({ event, error }) => {
      log.error('batch ended early', error)
      return notDone(event)
    },
  }
}

function notDone<M>({ records, done }: Batch<M>): SQSBatchResponse {
  const again = records.filter(({ messageId }) => !done.has(messageId))
  return { batchItemFailures: again.map(({ messageId }) => ({ itemIdentifier: messageId })) }
}
