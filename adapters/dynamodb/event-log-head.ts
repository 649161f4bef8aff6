import type { AdapterContext } from '../context.ts'
import type { Item } from './client.ts'
import { getItem, tableName, updateItem } from './client.ts'
import { conditionally, isContention, numberOf, textOf } from './errors.ts'
import { joinKey } from './key.ts'

/** The head of a domain's log. */
export interface Head {
  /** The highest number that the domain has given; 0 before the first. */
  readonly sequence: number
  /** When that was, epoch milliseconds; 0 before the first. */
  readonly loggedAt: number
  /** Whose turn it is to give numbers, and until when at most (epoch milliseconds). */
  readonly turn: { readonly of: string; readonly until: number } | undefined
}

/** How long a turn lasts at most: longer than a transaction takes, and short for those who wait for one who died. */
export const turnMs = 3_000

/** Where the head of a domain's log is stored. */
export function headKey(domain: string) {
  return { pk: joinKey('head', domain), sk: 'head' }
}

/** The head of a domain's log, read consistently. */
export async function readHead(context: AdapterContext, domain: string): Promise<Head> {
  return headOf(await getItem(context, tableName(context, 'events'), headKey(domain)))
}

/** Whether somebody else has his turn. */
export function isOthersTurn({ clock }: AdapterContext, { turn }: Head, own: string): boolean {
  return turn !== undefined && turn.of !== own && turn.until > clock.now()
}

/** Takes a turn, and answers the head as it is then; `undefined` while somebody else has his. */
export async function takeTurn(context: AdapterContext, domain: string, own: string): Promise<Head | undefined> {
  const now = context.clock.now()
  let item: Item | undefined
  const take = async () => {
    item = await updateItem(context, {
      TableName: tableName(context, 'events'),
      Key: headKey(domain),
      UpdateExpression: 'SET turnOf = :own, turnUntil = :until',
      ConditionExpression: 'attribute_not_exists(turnOf) OR turnOf = :own OR turnUntil <= :now',
      ExpressionAttributeValues: { ':own': own, ':until': now + turnMs, ':now': now },
      ReturnValues: 'ALL_NEW',
    })
  }
  try {
    return (await conditionally(take)).done ? headOf(item) : undefined
  } catch (problem) {
    if (isContention(problem)) return undefined
    throw problem
  }
}

/** Ends a turn that came to nothing. That it is not ended, those who wait for it get over. */
export async function endTurn(context: AdapterContext, domain: string, own: string): Promise<void> {
  const end = conditionally(() =>
    updateItem(context, {
      TableName: tableName(context, 'events'),
      Key: headKey(domain),
      UpdateExpression: 'REMOVE turnOf, turnUntil',
      ConditionExpression: 'turnOf = :own',
      ExpressionAttributeValues: { ':own': own },
    }),
  )
  await end.catch(() => {})
}

function headOf(item: Item | undefined): Head {
  const of = textOf(item, 'turnOf')
  return {
    sequence: numberOf(item, 'sequence') ?? 0,
    loggedAt: numberOf(item, 'loggedAt') ?? 0,
    turn: of === undefined ? undefined : { of, until: numberOf(item, 'turnUntil') ?? 0 },
  }
}
