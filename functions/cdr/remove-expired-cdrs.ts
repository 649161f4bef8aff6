import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoRecordingStore } from '../../adapters/dynamodb/recordings/dynamo-recording-store.ts'
import { openSearchCdrAdmin } from '../../adapters/opensearch/opensearch-cdr-admin.ts'
import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import { removeExpiredCdrs as record } from '../../contracts/schedules.ts'
import { removeExpiredCdrs } from '../../core/cdr/retention/remove-expired-cdrs.ts'
import { scheduled } from '../scheduled.ts'
import { workTimeMs } from '../work-time.ts'

/** The last third of the function's time is left for the request under way. */
const workMs = workTimeMs(record)

export const handler = scheduled(
  record,
  {
    domains: dynamoDomainStore,
    recordings: dynamoRecordingStore,
    cdrs: openSearchCdrStore,
    cdrAdmin: openSearchCdrAdmin,
  },
  async (ports, { clock, log, settings: { cdrDays, deletionGraceSeconds } }) => {
    const tools = { ...ports, clock, cdrDays, graceMs: deletionGraceSeconds * 1000 }
    const { removed, isCutShort } = await removeExpiredCdrs(tools, clock.now() + workMs)
    if (removed > 0 || isCutShort) log.info('expired CDRs', { removed, isCutShort })
  },
)
