import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoTenantData } from '../../adapters/dynamodb/domains/dynamo-tenant-data.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoRecordingStore } from '../../adapters/dynamodb/recordings/dynamo-recording-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import { sqsCleanupQueue } from '../../adapters/sqs/sqs-cleanup-queue.ts'
import { cleanupMessage } from '../../contracts/messages/cleanup.ts'
import { cleanUpDomain as record } from '../../contracts/workers.ts'
import type { CommandOutcome, EngineCommand } from '../../core/commands/commands.ts'
import { cleanUpDomain } from '../../core/domains/cleanup/clean-up-domain.ts'
import { worker } from '../worker.ts'
import { workTimeMs } from '../work-time.ts'

/** The last third of the function's time is left for the longest step, and for queueing the rest. */
const workMs = workTimeMs(record)

/** The runbook names this line. */
const undoneText = 'a deleted domain keeps its name until every engine has carried out an order'

export const handler = worker(
  { ...record, message: cleanupMessage },
  {
    domains: dynamoDomainStore,
    tenantData: dynamoTenantData,
    cleanups: sqsCleanupQueue,
    engine: sqsCallEngine,
    accounts: dynamoAccountStore,
    recordings: dynamoRecordingStore,
  },
  async (message, ports, { clock, log, settings }) => {
    const { domain } = message
    const graceMs = settings.deletionGraceSeconds * 1000
    const reportUndone = (order: EngineCommand['kind'], outcome: CommandOutcome | undefined) => {
      log.warn(undoneText, { domain, order, outcome: outcomeText(outcome) })
    }
    const end = await cleanUpDomain(ports, message, { clock, graceMs, until: clock.now() + workMs, reportUndone })
    log.info('clean-up', { domain, end })
  },
)

function outcomeText(outcome: CommandOutcome | undefined): string {
  if (outcome === undefined) return 'no answer'
  if ('reason' in outcome) return `${outcome.state} (${outcome.reason})`
  return 'text' in outcome ? `${outcome.state} (${outcome.text.trim()})` : outcome.state
}
