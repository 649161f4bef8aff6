import { DomainError } from '../../../core/errors.ts'
import type { TakenNumbers } from '../../../core/hooks/delivery/event-log-writer.ts'
import { unwatchedBefore } from '../../../core/events/event-log-rules.ts'
import type { AdapterContext } from '../../context.ts'
import type { Item } from '../client.ts'
import { getItem, tableName, updateItem } from '../client.ts'
import { keptUntil } from '../../retention.ts'
import { conditionally, numberOf } from '../errors.ts'
import { joinKey } from '../key.ts'

/** The head of a domain's log. */
export interface Head {
  /** The highest number that was taken; 0 before the first. */
  readonly sequence: number
  /** When that was, epoch milliseconds; 0 before the first. */
  readonly loggedAt: number
  /** No event of a number up to here is shown any more: the next number was taken after all of them had their time. */
  readonly notKeptUpTo: number
}

const tries = 20

/** Returns where the head of a domain's log is stored. */
export function headKey(domain: string) {
  return { pk: joinKey('head', domain), sk: 'head' }
}

/** Returns the head of a domain's log, read consistently. */
export async function readHead(context: AdapterContext, domain: string): Promise<Head> {
  return headOf(await getItem(context, tableName(context, 'events'), headKey(domain)))
}

function headOf(item: Item | undefined): Head {
  return {
    sequence: numberOf(item, 'sequence') ?? 0,
    loggedAt: numberOf(item, 'loggedAt') ?? 0,
    notKeptUpTo: numberOf(item, 'notKeptUpTo') ?? 0,
  }
}

/**
 * Takes the next numbers of a domain with one write; takers do not wait for each other. A second write is made in two
 * cases. If the oldest hook is younger than the last numbers, it stores the time without a hook at the head until an
 * entry reports it ({@link endUnwatched}), because a taker may die. If the events of the last numbers have had their
 * time, it stores that, because their records may be gone: numbers without a record are void otherwise.
 */
export async function takeNumbers(
  context: AdapterContext,
  domain: string,
  count: number,
  watchedSince: number,
): Promise<TakenNumbers> {
  const takenAt = context.clock.now()
  const values = { ':count': count, ':at': takenAt }
  const oldestShown = takenAt - keptUntil.loggedEvent(0)
  let taken: Item | undefined
  const take = async (condition: string, also: string, more: Item) =>
    conditionally(async () => {
      taken = await updateItem(context, {
        TableName: tableName(context, 'events'),
        Key: headKey(domain),
        UpdateExpression: `SET loggedAt = :at${also} ADD #sequence :count`,
        ConditionExpression: condition,
        ExpressionAttributeNames: { '#sequence': 'sequence' },
        ExpressionAttributeValues: { ...values, ...more },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      })
    })
  for (let tried = 0; tried < tries; tried += 1) {
    const plain = await take('loggedAt >= :since', '', { ':since': Math.max(watchedSince, oldestShown) })
    if (plain.done) return numbersOf({ domain, count, takenAt }, taken)
    const previousAt = numberOf(plain.stored, 'loggedAt') ?? 0
    const unwatched = unwatchedBefore(previousAt, watchedSince)
    const isOver = previousAt > 0 && previousAt < oldestShown
    const marked = await take(
      previousAt === 0 ? 'attribute_not_exists(loggedAt)' : 'loggedAt = :previous',
      (unwatched ? ', unwatchedFrom = if_not_exists(unwatchedFrom, :from), unwatchedTo = :to' : '') +
        (isOver ? ', notKeptUpTo = :over' : ''),
      {
        ...(isOver && { ':over': headOf(plain.stored).sequence }),
        ...(unwatched && { ':from': unwatched.from, ':to': unwatched.to }),
        ...(previousAt === 0 ? {} : { ':previous': previousAt }),
      },
    )
    if (marked.done) return numbersOf({ domain, count, takenAt }, taken)
  }
  throw new DomainError('store_unavailable', 'too many events of the domain are being numbered at once')
}

function numbersOf(given: Pick<TakenNumbers, 'domain' | 'count' | 'takenAt'>, item: Item | undefined): TakenNumbers {
  const [from, to] = [numberOf(item, 'unwatchedFrom'), numberOf(item, 'unwatchedTo')]
  const first = headOf(item).sequence - given.count + 1
  return { ...given, first, unwatched: from === undefined || to === undefined ? undefined : { from, to } }
}

/** Removes a time without a hook from the head once an entry reports it. If that fails, the time is reported twice. */
export async function endUnwatched(context: AdapterContext, { domain, unwatched }: TakenNumbers): Promise<void> {
  if (unwatched === undefined) return
  const end = conditionally(() =>
    updateItem(context, {
      TableName: tableName(context, 'events'),
      Key: headKey(domain),
      UpdateExpression: 'REMOVE unwatchedFrom, unwatchedTo',
      ConditionExpression: 'unwatchedTo = :to',
      ExpressionAttributeValues: { ':to': unwatched.to },
    }),
  )
  await end.catch(() => {})
}
