import * as z from 'zod/mini'
import { DomainError } from '../../core/errors.ts'
import { eventLogLimit } from '../../core/events/event-log-limit.ts'
import type { LoggedEvent, PlatformEvent } from '../../core/model.ts'
import type { EventLog } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { keptUntil } from '../retention.ts'
import type { Item } from './attributes.ts'
import { type Part, getItem, queryAll, queryPage, tableName, transactWrite } from './client.ts'
import { numberOf, transacted } from './errors.ts'
import { expirySeconds, nowSeconds, parseItem, unexpired } from './items.ts'
import { joinKey, numberPart } from './key.ts'

const eventItem = z.object({
  sequence: z.number(),
  loggedAt: z.number(),
  event: z.object({
    id: z.string(),
    name: z.string(),
    domain: z.string(),
    uuid: z.string(),
    occurredAt: z.number(),
    fields: z.record(z.string(), z.string()),
  }),
})

/** How often an event is given another number because somebody else took the one it should have had. */
const ATTEMPTS = 30

/**
 * Logs of events in DynamoDB, three partitions a domain. A number is given, its event written and the head raised in
 * one transaction, on the condition that nobody else did: a number without its event cannot come to be.
 */
export function dynamoEventLog(context: AdapterContext): EventLog {
  const headOf = async (domain: string) =>
    numberOf(await getItem(context, tableName(context, 'events'), headKey(domain)), 'sequence') ?? 0

  return {
    async append(event) {
      let head = await headOf(event.domain)
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const failed = await transacted(() => transactWrite(context, numbering(context, event, head)))
        if (failed === undefined) return head + 1
        const [id, stored] = failed
        const known = id?.failed ? numberOf(id.stored, 'sequence') : undefined
        if (known !== undefined) return known
        head = numberOf(stored?.stored, 'sequence') ?? 0
      }
      throw new DomainError('store_unavailable', 'too many events of the domain are being numbered at once')
    },
    async read(domain, since, limit) {
      const found: LoggedEvent[] = []
      let start: Item | undefined
      do {
        const page = await queryPage(
          context,
          {
            TableName: tableName(context, 'events'),
            ConsistentRead: true,
            Limit: limit,
            KeyConditionExpression: 'pk = :pk AND sk > :since',
            ExpressionAttributeValues: { ':pk': logPartition(domain), ':since': numberPart(since) },
          },
          start,
        )
        found.push(...eventsOf(context, page.items))
        start = page.next
      } while (start !== undefined && found.length < limit)
      return found.slice(0, limit)
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

/** What gives an event the number behind `head`: its id, the head, the event, and the end of the one that is too many. */
function numbering(context: AdapterContext, event: PlatformEvent, head: number): Part[] {
  const TableName = tableName(context, 'events')
  const loggedAt = context.clock.now()
  const sequence = head + 1
  const expiresAt = expirySeconds(keptUntil.loggedEvent(loggedAt))
  return [
    {
      Put: {
        TableName,
        Item: {
          pk: joinKey('ids', event.domain),
          sk: joinKey(event.id),
          sequence,
          expiresAt: expirySeconds(keptUntil.eventNumber(loggedAt)),
        },
        ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
        ExpressionAttributeValues: { ':now': nowSeconds(context) },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    {
      Update: {
        TableName,
        Key: headKey(event.domain),
        UpdateExpression: 'SET #sequence = :next',
        ConditionExpression: head === 0 ? 'attribute_not_exists(pk)' : '#sequence = :head',
        ExpressionAttributeNames: { '#sequence': 'sequence' },
        ExpressionAttributeValues: { ':next': sequence, ...(head === 0 ? {} : { ':head': head }) },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    { Put: { TableName, Item: { ...eventKey(event.domain, sequence), sequence, loggedAt, event, expiresAt } } },
    // There is no number 0: until the log is full, nothing is dropped.
    { Delete: { TableName, Key: eventKey(event.domain, Math.max(0, sequence - eventLogLimit)) } },
  ]
}

function logPartition(domain: string): string {
  return joinKey('log', domain)
}

function eventKey(domain: string, sequence: number) {
  return { pk: logPartition(domain), sk: numberPart(sequence) }
}

function headKey(domain: string) {
  return { pk: joinKey('head', domain), sk: 'head' }
}
