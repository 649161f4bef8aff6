import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod/mini'
import { engineCommand } from '../../contracts/messages/command.ts'
import type { CommandOutcome, CommandRecord } from '../../core/commands.ts'
import { DomainError } from '../../core/errors.ts'
import type { CommandStore } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { keptUntil } from '../retention.ts'
import { documentClient, tableName } from './client.ts'
import { commandOutcome, packOutcome, unpackOutcome } from './command-outcome.ts'
import { conditionally, guarded, textOf } from './errors.ts'
import { expirySeconds, isExpired, parseItem, putNew, queryAll, under } from './items.ts'
import { joinKey, keyPrefix, numberPart } from './key.ts'

const commandItem = z.object({
  id: z.string(),
  scope: z.object({ domain: z.nullable(z.string()), presenceId: z.nullable(z.string()) }),
  command: engineCommand,
  deadlineAt: z.number(),
  createdAt: z.number(),
  claimedBy: z.optional(z.string()),
  outcome: z.optional(commandOutcome),
  /** Where the parts of an outcome are that is too large for this item. */
  outcomeParts: z.optional(z.object({ set: z.string(), count: z.number() })),
})

const partItem = z.object({ bytes: z.instanceof(Uint8Array) })

/** The condition of a command that is there and has no outcome. */
const WAITS = 'expiresAt > :seconds AND attribute_not_exists(endedAt)'

/** Records of commands in DynamoDB, one partition a command: the record, and the parts of a large outcome. */
export function dynamoCommandStore(context: AdapterContext): CommandStore {
  const client = documentClient(context)
  return {
    create(record) {
      const item = { ...commandKey(record.id), ...record, expiresAt: expirySeconds(keptUntil.command(record)) }
      const { random, clock } = context
      return putNew(client, tableName(context, 'commands'), item, { random, now: clock.now() })
    },
    read: (id) => read(client, context, id),
    claim: (id, connectorId) => claim(client, context, id, connectorId),
    complete: (id, outcome) => complete(client, context, id, outcome),
    withdraw: (id) => withdraw(client, context, id),
  }
}

async function read(
  client: DynamoDBDocumentClient,
  context: AdapterContext,
  id: string,
): Promise<CommandRecord | undefined> {
  const TableName = tableName(context, 'commands')
  const { Item } = await guarded(() =>
    client.send(new GetCommand({ TableName, Key: commandKey(id), ConsistentRead: true })),
  )
  const stored = Item && isExpired(Item, context.clock.now()) ? undefined : parseItem(commandItem, Item)
  if (stored === undefined) return undefined
  const { outcomeParts, ...record } = stored
  if (outcomeParts === undefined) return record
  const parts = await queryAll(client, {
    TableName,
    ConsistentRead: true,
    ...under(commandKey(id).pk, keyPrefix('part', outcomeParts.set)),
  })
  if (parts.length !== outcomeParts.count) {
    throw new DomainError('internal_error', 'parts of a stored outcome are missing')
  }
  const bytes = parts.flatMap((part) => parseItem(partItem, part)?.bytes ?? [])
  return { ...record, outcome: await unpackOutcome(bytes) }
}

/** A claim whose answer was lost and that the client tries again finds its own mark and still holds. */
async function claim(
  client: DynamoDBDocumentClient,
  context: AdapterContext,
  id: string,
  connectorId: string,
): Promise<boolean> {
  const claimId = context.random.uuid()
  const result = await conditionally(() =>
    client.send(
      new UpdateCommand({
        TableName: tableName(context, 'commands'),
        Key: commandKey(id),
        UpdateExpression: 'SET claimedBy = :connector, claimId = :claim',
        ConditionExpression: `${WAITS} AND attribute_not_exists(claimedBy)`,
        ExpressionAttributeValues: { ':connector': connectorId, ':claim': claimId, ':seconds': nowSeconds(context) },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    ),
  )
  return result.done || textOf(result.stored, 'claimId') === claimId
}

/** Parts are written first: whoever sees the outcome finds them all. Parts of an outcome that came second expire. */
async function complete(
  client: DynamoDBDocumentClient,
  context: AdapterContext,
  id: string,
  outcome: CommandOutcome,
): Promise<void> {
  const parts = await packOutcome(outcome)
  const stored = parts === undefined ? { outcome } : { outcomeParts: await putParts(client, context, id, parts) }
  const [[attribute, value] = ['outcome', outcome]] = Object.entries(stored)
  await conditionally(() =>
    client.send(
      new UpdateCommand({
        TableName: tableName(context, 'commands'),
        Key: commandKey(id),
        UpdateExpression: 'SET #outcome = :outcome, endedAt = :now',
        ConditionExpression: WAITS,
        ExpressionAttributeNames: { '#outcome': attribute },
        ExpressionAttributeValues: { ':outcome': value, ':now': context.clock.now(), ':seconds': nowSeconds(context) },
      }),
    ),
  )
}

async function withdraw(client: DynamoDBDocumentClient, context: AdapterContext, id: string): Promise<boolean> {
  const result = await conditionally(() =>
    client.send(
      new UpdateCommand({
        TableName: tableName(context, 'commands'),
        Key: commandKey(id),
        UpdateExpression: 'SET outcome = :outcome, endedAt = :now',
        ConditionExpression: `${WAITS} AND attribute_not_exists(claimedBy)`,
        ExpressionAttributeValues: {
          ':outcome': { state: 'unsent', reason: 'expired' } satisfies CommandOutcome,
          ':now': context.clock.now(),
          ':seconds': nowSeconds(context),
        },
      }),
    ),
  )
  return result.done
}

async function putParts(
  client: DynamoDBDocumentClient,
  context: AdapterContext,
  id: string,
  parts: readonly Uint8Array[],
): Promise<{ set: string; count: number }> {
  const TableName = tableName(context, 'commands')
  const set = context.random.uuid()
  const expiresAt = expirySeconds(keptUntil.commandPart(context.clock.now()))
  for (const [index, bytes] of parts.entries()) {
    const Item = { pk: commandKey(id).pk, sk: joinKey('part', set, numberPart(index)), bytes, expiresAt }
    await guarded(() => client.send(new PutCommand({ TableName, Item })))
  }
  return { set, count: parts.length }
}

function nowSeconds({ clock }: AdapterContext): number {
  return Math.floor(clock.now() / 1000)
}

function commandKey(id: string) {
  return { pk: joinKey(id), sk: 'command' }
}
