import { setImmediate } from 'node:timers/promises'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { READ_BATCH_ITEMS } from '../../adapters/dynamodb/batches.ts'
import { dynamoErasureStore } from '../../adapters/dynamodb/domains/dynamo-erasure-store.ts'
import { dynamoRecordingStore } from '../../adapters/dynamodb/recordings/dynamo-recording-store.ts'
import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import { checkTimeLimit } from '../../adapters/time-limit.ts'
import { cdrMetrics } from '../../contracts/metrics.ts'
import { cdrMessage } from '../../contracts/messages/cdr.ts'
import { cdrIndex } from '../../contracts/workers.ts'
import { indexUpdate } from '../../core/cdr/indexing/index-update.ts'
import { coalescedIndex, coalescedListRecorded } from '../../core/cdr/indexing/coalesced-stores.ts'
import { worker } from '../worker.ts'

/** CDRs of one call. At their largest they are 5 MB, in ten requests, which end within the function's time. */
const indexedTogether = 50

/** Lets all messages of a batch offer what they have, unless the time of their function is over. */
async function turn(): Promise<void> {
  checkTimeLimit()
  await setImmediate()
}

export const handler = worker(
  { ...cdrIndex, message: cdrMessage },
  {
    cdrs: openSearchCdrStore,
    domains: dynamoDomainStore,
    recordings: dynamoRecordingStore,
    erasures: dynamoErasureStore,
  },
  async (update, ports, { log }) => {
    const end = await indexUpdate(ports, update)
    if (end === 'unowned') log.warn(cdrMetrics.withoutDomain.message, { kind: update.kind })
    if (typeof end === 'string') return undefined
    log.error(cdrMetrics.refused.message, undefined, { kind: update.kind, reason: end.refused })
    return 'refused'
  },
  {
    portsOfBatch: (ports) => {
      const index = coalescedIndex(ports.cdrs, { turn, most: indexedTogether })
      const listRecorded = coalescedListRecorded(ports.recordings, { turn, most: READ_BATCH_ITEMS })
      const recordings = {
        listRecorded,
        list: (...leg: [string, string]) => ports.recordings.list(...leg),
        wasLeft: (domain: string) => ports.recordings.wasLeft(domain),
      }
      const cdrs = {
        index,
        setRecordings: (...place: Parameters<typeof ports.cdrs.setRecordings>) => ports.cdrs.setRecordings(...place),
        remove: (...plan: Parameters<typeof ports.cdrs.remove>) => ports.cdrs.remove(...plan),
      }
      // A leg asks about itself and the one that it was created for.
      const marked = {
        listRecorded: (...legs: Parameters<typeof ports.erasures.listMarked>) => ports.erasures.listMarked(...legs),
      }
      const erasures = { listMarked: coalescedListRecorded(marked, { turn, most: READ_BATCH_ITEMS }) }
      return { ...ports, recordings, cdrs, erasures }
    },
  },
)
