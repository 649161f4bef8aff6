import { setImmediate } from 'node:timers/promises'
import { dynamoDomainStore } from '../../adapters/dynamodb/dynamo-domain-store.ts'
import { dynamoRecordingStore } from '../../adapters/dynamodb/dynamo-recording-store.ts'
import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import { cdrMetrics } from '../../contracts/metrics.ts'
import { cdrIndex } from '../../contracts/workers.ts'
import { indexNews } from '../../core/cdr/index-news.ts'
import { indexTogether } from '../../core/cdr/index-together.ts'
import { worker } from '../worker.ts'

export const handler = worker(
  cdrIndex,
  { cdrs: openSearchCdrStore, domains: dynamoDomainStore, recordings: dynamoRecordingStore },
  async (news, ports, { log }) => {
    const end = await indexNews(ports, news)
    if (end === 'nobody') log.warn(cdrMetrics.ofNobody.message, { kind: news.kind })
    if (typeof end === 'string') return undefined
    log.error(cdrMetrics.refused.message, undefined, { kind: news.kind, reason: end.refused })
    return 'refused'
  },
  {
    portsOfBatch: (ports) => {
      const index = indexTogether(ports.cdrs, () => setImmediate())
      return { ...ports, cdrs: { index, setRecordings: (...place) => ports.cdrs.setRecordings(...place) } }
    },
  },
)
