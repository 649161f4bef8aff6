import { setImmediate } from 'node:timers/promises'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { READ_BATCH_ITEMS } from '../../adapters/dynamodb/batches.ts'
import { dynamoRecordingStore } from '../../adapters/dynamodb/recordings/dynamo-recording-store.ts'
import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import { checkTimeLimit } from '../../adapters/time-limit.ts'
import { cdrMetrics } from '../../contracts/metrics.ts'
import { cdrMessage } from '../../contracts/messages/cdr.ts'
import { cdrIndex } from '../../contracts/workers.ts'
import { indexNews } from '../../core/cdr/indexing/index-news.ts'
import { indexTogether } from '../../core/cdr/indexing/index-together.ts'
import { recordedTogether } from '../../core/cdr/indexing/recorded-together.ts'
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
  { cdrs: openSearchCdrStore, domains: dynamoDomainStore, recordings: dynamoRecordingStore },
  async (news, ports, { log }) => {
    const end = await indexNews(ports, news)
    if (end === 'unowned') log.warn(cdrMetrics.withoutDomain.message, { kind: news.kind })
    if (typeof end === 'string') return undefined
    log.error(cdrMetrics.refused.message, undefined, { kind: news.kind, reason: end.refused })
    return 'refused'
  },
  {
    portsOfBatch: (ports) => {
      const index = indexTogether(ports.cdrs, { turn, most: indexedTogether })
      const listRecorded = recordedTogether(ports.recordings, { turn, most: READ_BATCH_ITEMS })
      const recordings = {
        listRecorded,
        list: (...leg: [string, string]) => ports.recordings.list(...leg),
        wasLeft: (domain: string) => ports.recordings.wasLeft(domain),
      }
      return { ...ports, recordings, cdrs: { index, setRecordings: (...place) => ports.cdrs.setRecordings(...place) } }
    },
  },
)
