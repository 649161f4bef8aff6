import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import { sqsCleanupQueue } from '../../adapters/sqs/sqs-cleanup-queue.ts'
import { sqsEventSink } from '../../adapters/sqs/sqs-event-sink.ts'
import * as routes from '../../contracts/routes/domains.ts'
import { deleteDomain } from '../../core/domains/delete-domain.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.deleteDomain,
  { domains: dynamoDomainStore, cleanups: sqsCleanupQueue, engine: sqsCallEngine, events: sqsEventSink },
  async ({ domain, requestId, clock, random, precondition, settings, log }, ports) => {
    const reportUnsent = (what: string, error: unknown) => log.error('change made but not published', error, { what })
    const graceMs = settings.deletionGraceSeconds * 1000
    const context = { requestId, clock, random, precondition, graceMs, reportUnsent }
    const { warning } = await deleteDomain(ports, domain, context)
    return { status: 'OK' as const, info: `+OK [${domain}] destroy !\n`, 'more info': warning }
  },
)
