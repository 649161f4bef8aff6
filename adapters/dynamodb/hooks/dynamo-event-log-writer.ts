import type { EventLogWriter } from '../../../core/hooks/delivery/event-log-writer.ts'
import type { AdapterContext } from '../../context.ts'
import { type PayloadFiles, deliveryPayloads } from './delivery-payloads.ts'
import { s3PayloadFiles } from '../../s3/s3-objects.ts'
import { takeNumbers } from '../events/event-log-head.ts'
import { writeEvents } from './write-events.ts'

/**
 * Writes logs of events in DynamoDB, a hundred numbers a partition. What is too large for the table is in `files`, the
 * payloads' bucket where not given.
 */
export function dynamoEventLogWriter(
  context: AdapterContext,
  files: PayloadFiles = s3PayloadFiles(context),
): EventLogWriter {
  const { keepEvent } = deliveryPayloads(context, files)
  return {
    take: (domain, count, watchedSince) => takeNumbers(context, domain, count, watchedSince),
    write: (taken, entries) => writeEvents(context, taken, entries, keepEvent),
  }
}
