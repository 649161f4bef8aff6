import { setImmediate } from 'node:timers/promises'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoRecordingStore } from '../../adapters/dynamodb/recordings/dynamo-recording-store.ts'
import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import { cdrMetrics } from '../../contracts/metrics.ts'
import { cdrIndex } from '../../contracts/workers.ts'
import { indexNews } from '../../core/cdr/indexing/index-news.ts'
import { indexTogether } from '../../core/cdr/indexing/index-together.ts'
import { recordedTogether } from '../../core/cdr/indexing/recorded-together.ts'
import { worker } from '../worker.ts'

export const handler = worker(
  cdrIndex,
  { cdrs: openSearchCdrStore, domains: dynamoDomainStore, recordings: dynamoRecordingStore },
  async (news, ports, { log }) => {
    const end = await indexNews(ports, news)
    if (end === 'unowned') log.warn(cdrMetrics.withoutDomain.message, { kind: news.kind })
    if (typeof end === 'string') return undefined
    log.error(cdrMetrics.refused.message, undefined, { kind: news.kind, reason: end.refused })
    return 'refused'
  },
  {
    // A process of a laptop works on many batches at a time, one of the cloud on one.
    sharedPorts: (ports) => {
      const index = indexTogether(ports.cdrs, () => setImmediate())
      const listRecorded = recordedTogether(ports.recordings, () => setImmediate())
      const recordings = { listRecorded, list: (...leg: [string, string]) => ports.recordings.list(...leg) }
      return { ...ports, recordings, cdrs: { index, setRecordings: (...place) => ports.cdrs.setRecordings(...place) } }
    },
  },
)
