import type { AdapterContext } from '../../adapters/context.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoRecordingStore } from '../../adapters/dynamodb/recordings/dynamo-recording-store.ts'
import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import { systemClock } from '../../adapters/system/system-clock.ts'
import { handler } from '../../functions/cdr/cdr-index.ts'
import { readSettings } from '../../functions/endpoint/settings.ts'
import { maxConcurrency as laptopConcurrency } from '../../local/queues/start-mappings.ts'
import { Poller } from '../../local/queues/poller.ts'
import { doneMessages } from '../../local/queues/queue-event.ts'
import { SqsClient } from '../../local/queues/sqs-client.ts'
import { recordOf } from '../hooks/records.ts'
import { silentLog } from '../silent-log.ts'
import type { BenchStores } from './open-stores.ts'

/** The worker of the queue of CDRs, at work. */
export interface CdrWorker {
  /** Works off what is queued first. */
  stop(): Promise<void>
}

/** Starts the function as consumer of its queue, with the batches and the concurrency of a laptop. */
export function startCdrWorker(stores: BenchStores, onDone: (messages: number) => void): CdrWorker {
  const context: AdapterContext = { env: stores.workerEnv, clock: systemClock, random: systemRandomness }
  const handle = handler.over(
    {
      cdrs: openSearchCdrStore(context),
      domains: dynamoDomainStore(context),
      recordings: dynamoRecordingStore(context),
    },
    {
      clock: systemClock,
      random: systemRandomness,
      log: { ...silentLog, error: console.error },
      settings: readSettings(stores.workerEnv),
    },
  )
  const queue = new SqsClient(stores.storesUrl, stores.queueUrl, stores.credential)
  const poller = new Poller({
    queue,
    batchSize: stores.batchSize,
    concurrency: Math.min(stores.maxConcurrency ?? laptopConcurrency, laptopConcurrency),
    handle: async (messages) => {
      const Records = messages.map(({ MessageId, Body, Attributes }) =>
        recordOf(MessageId, Body, Attributes?.['MessageGroupId']),
      )
      const answer = await handle({ Records }, { getRemainingTimeInMillis: () => 60_000 })
      const done = doneMessages(messages, answer, true)
      onDone(done.length)
      return done
    },
    onError: (error) => console.error(error),
  })
  return {
    async stop() {
      await poller.stop()
      queue.close()
    },
  }
}
