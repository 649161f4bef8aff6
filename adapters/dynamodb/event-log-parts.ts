import { eventLogLimit, unwatchedBefore } from '../../core/events/event-log-rules.ts'
import type { LoggedEvent, PlatformEvent } from '../../core/events/platform-event.ts'
import type { AdapterContext } from '../context.ts'
import { keptUntil } from '../retention.ts'
import { type Part, tableName } from './client.ts'
import { type Head, headKey } from './event-log-head.ts'
import { expirySeconds, nowSeconds } from './items.ts'
import { joinKey, numberPart } from './key.ts'

/** An event that is to be numbered. */
export interface Unnumbered {
  readonly event: PlatformEvent
  /** When the oldest hook of its domain was made, epoch milliseconds. */
  readonly watchedSince: number
}

/**
 * Events that are numbered in one transaction, which may have 100 parts and 4 MB: each has three parts and at most what
 * an item holds. It is as many as a function gets from the queue at once.
 */
export const numberedTogether = 10

/** The partition of a domain's log. */
export function logPartition(domain: string): string {
  return joinKey('log', domain)
}

/**
 * What gives events of a domain the numbers behind its head, in their order: the ids, one part each; the head, which
 * ends the turn; then the events, and the end of those that are too many. Nothing of it is done where an id has a number
 * already, or the head is another one.
 */
export function numberingParts(
  context: AdapterContext,
  domain: string,
  events: readonly Unnumbered[],
  head: Head,
): Part[] {
  const TableName = tableName(context, 'events')
  const loggedAt = context.clock.now()
  const expiresAt = expirySeconds(keptUntil.loggedEvent(loggedAt))
  const sequenceOf = (index: number) => head.sequence + 1 + index
  return [
    ...events.map(({ event }, index) => idPart(context, event, { sequence: sequenceOf(index), loggedAt })),
    headPart(context, domain, head, { sequence: sequenceOf(events.length - 1), loggedAt }),
    ...events.flatMap(({ event, watchedSince }, index) => {
      const sequence = sequenceOf(index)
      const unwatched = unwatchedBefore(index === 0 ? head.loggedAt : loggedAt, watchedSince)
      const entry: LoggedEvent = { sequence, loggedAt, event, ...(unwatched && { unwatched }) }
      const tooOld = Math.max(0, sequence - eventLogLimit)
      return [
        { Put: { TableName, Item: { ...eventKey(domain, sequence), ...entry, expiresAt } } },
        // Until the log is full none is too many: there is no number 0.
        ...(tooOld > 0 || index === 0 ? [{ Delete: { TableName, Key: eventKey(domain, tooOld) } }] : []),
      ]
    }),
  ]
}

type Numbered = Pick<Head, 'sequence' | 'loggedAt'>

function idPart(context: AdapterContext, event: PlatformEvent, { sequence, loggedAt }: Numbered): Part {
  const expiresAt = expirySeconds(keptUntil.eventNumber(loggedAt))
  return {
    Put: {
      TableName: tableName(context, 'events'),
      Item: { pk: joinKey('ids', event.domain), sk: joinKey(event.id), sequence, expiresAt },
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': nowSeconds(context) },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  }
}

function headPart(context: AdapterContext, domain: string, head: Head, last: Numbered): Part {
  const isFirst = head.sequence === 0
  return {
    Update: {
      TableName: tableName(context, 'events'),
      Key: headKey(domain),
      UpdateExpression: 'SET #sequence = :last, loggedAt = :at REMOVE turnOf, turnUntil',
      ConditionExpression: isFirst ? 'attribute_not_exists(#sequence)' : '#sequence = :head',
      ExpressionAttributeNames: { '#sequence': 'sequence' },
      ExpressionAttributeValues: {
        ':last': last.sequence,
        ':at': last.loggedAt,
        ...(isFirst ? {} : { ':head': head.sequence }),
      },
    },
  }
}

function eventKey(domain: string, sequence: number) {
  return { pk: logPartition(domain), sk: numberPart(sequence) }
}
