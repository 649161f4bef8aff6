import * as z from 'zod/mini'
import type { EventLog } from '../../core/events/event-log.ts'
import type { LoggedEvent } from '../../core/events/platform-event.ts'
import type { AdapterContext } from '../context.ts'
import { inTurns } from '../in-turns.ts'
import { ITEM_EVENT_BYTES, fitted } from '../sqs/fitted-event.ts'
import type { Item } from './client.ts'
import { queryAll, queryPage, tableName } from './client.ts'
import { readHead } from './event-log-head.ts'
import { type Unnumbered, logPartition, numberedTogether } from './event-log-parts.ts'
import { parseItem, unexpired } from './items.ts'
import { numberPart } from './key.ts'
import { numberEvents } from './number-events.ts'

const eventItem = z.object({
  sequence: z.number(),
  loggedAt: z.number(),
  unwatched: z.optional(z.object({ from: z.number(), to: z.number() })),
  event: z.object({
    id: z.string(),
    name: z.string(),
    domain: z.string(),
    uuid: z.string(),
    occurredAt: z.number(),
    fields: z.record(z.string(), z.string()),
  }),
})

/**
 * Logs of events in DynamoDB, three partitions a domain. Events of a domain that are to be numbered at once in one
 * process are numbered together: they wait for each other, and do not get in each other's way.
 */
export function dynamoEventLog(context: AdapterContext): EventLog {
  const number = inTurns<Unnumbered, number>(
    { limit: numberedTogether, idOf: ({ event }) => event.id },
    (domain, events) => numberEvents(context, domain, events),
  )
  const headOf = async (domain: string) => (await readHead(context, domain)).sequence

  return {
    append: (event, watchedSince = 0) => number(event.domain, { event: fitted(event, ITEM_EVENT_BYTES), watchedSince }),
    async read(domain, since, limit) {
      const TableName = tableName(context, 'events')
      let start: Item | undefined
      do {
        const page = await queryPage(
          context,
          {
            TableName,
            ConsistentRead: true,
            Limit: limit,
            KeyConditionExpression: 'pk = :pk AND sk > :since',
            ExpressionAttributeValues: { ':pk': logPartition(domain), ':since': numberPart(since) },
          },
          start,
        )
        const found = eventsOf(context, page.items)
        if (found.length > 0) return found
        start = page.next
      } while (start !== undefined)
      return []
    },
    async latest(domain, count) {
      if (count <= 0) return []
      const page = await queryAll(context, {
        TableName: tableName(context, 'events'),
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND sk > :before',
        ExpressionAttributeValues: {
          ':pk': logPartition(domain),
          ':before': numberPart(Math.max(0, (await headOf(domain)) - count)),
        },
      })
      return eventsOf(context, page).slice(-count)
    },
    head: headOf,
  }
}

function eventsOf(context: AdapterContext, items: readonly Item[]): LoggedEvent[] {
  return items.flatMap((item) => parseItem(eventItem, unexpired(context, item)) ?? [])
}
