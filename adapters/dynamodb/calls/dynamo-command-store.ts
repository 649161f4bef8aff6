import * as z from 'zod/mini'
import { engineCommand } from '../../../contracts/messages/command.ts'
import {
  type CommandOutcome,
  type CommandRecord,
  type CommandScope,
  type EndedClaims,
  claimsAtATime,
} from '../../../core/commands/commands.ts'
import type { CommandStore } from '../../../core/commands/command-store.ts'
import { commandAliases, commandOutcome, packOutcome } from './command-outcome.ts'
import { pendingUnregistrationStore } from './pending-unregistrations.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { getItem, tableName, updateItem } from '../client.ts'
import { conditionally, textOf } from '../errors.ts'
import { queryEntries } from '../index-entries.ts'
import { expirySeconds, nowSeconds, parseItem, putNew, unexpired } from '../items.ts'
import { joinKey, numberPart, splitKey } from '../key.ts'
import { type LongOutcomes, longOutcomes, outcomeParts } from './long-outcomes.ts'

const commandItem = z.object({
  id: z.string(),
  scope: z.object({ domain: z.nullable(z.string()), presenceId: z.nullable(z.string()) }),
  command: engineCommand,
  deadlineAt: z.number(),
  createdAt: z.number(),
  requestId: z.optional(z.string()),
  claimedBy: z.optional(z.string()),
  claimedAt: z.optional(z.number()),
  outcome: z.optional(commandOutcome),
  outcomeParts: z.optional(outcomeParts),
})

const WAITS = 'expiresAt > :seconds AND attribute_not_exists(endedAt)'

/** The condition of an unclaimed command without an outcome. Of all concurrent writes under it, one succeeds. */
const IS_FREE = `${WAITS} AND attribute_not_exists(claimedBy)`

/**
 * Records of commands in DynamoDB, one partition a command. While a command is claimed and has not ended, the index
 * `keys-by-state` has it too. A large outcome is kept once for all records that may share it.
 */
export function dynamoCommandStore(context: AdapterContext): CommandStore {
  const long = longOutcomes(context)
  return {
    create(record) {
      const item = { ...commandKey(record.id), ...record, expiresAt: expirySeconds(keptUntil.command(record)) }
      return putNew(context, tableName(context, 'commands'), item)
    },
    read: (id) => read(context, long, id),
    claim: (id, connectorId) => claim(context, id, connectorId),
    withdraw: (id) => withdraw(context, id),
    complete: (id, outcome, scope) => complete(context, long, { id, outcome, scope }),
    endClaimsOf: (connectorId, claimedBefore) => endClaimsOf(context, connectorId, claimedBefore),
    ...commandAliases(context),
    ...pendingUnregistrationStore(context),
  }
}

async function read(context: AdapterContext, long: LongOutcomes, id: string): Promise<CommandRecord | undefined> {
  const item = await getItem(context, tableName(context, 'commands'), commandKey(id))
  const stored = parseItem(commandItem, unexpired(context, item))
  if (stored === undefined) return undefined
  const { outcomeParts: parts, ...record } = stored
  return parts === undefined ? record : { ...record, outcome: await long.read(record, parts) }
}

/** A claim whose answer was lost and that the client tries again finds its own mark and still holds. */
async function claim(context: AdapterContext, id: string, connectorId: string): Promise<boolean> {
  const claimId = context.random.uuid()
  const now = context.clock.now()
  const result = await conditionally(() =>
    updateItem(context, {
      TableName: tableName(context, 'commands'),
      Key: commandKey(id),
      UpdateExpression:
        'SET claimedBy = :connector, claimId = :claim, claimedAt = :now, gsi_pk = :claims, gsi_sk = :place',
      ConditionExpression: IS_FREE,
      ExpressionAttributeValues: {
        ':connector': connectorId,
        ':claim': claimId,
        ':now': now,
        ':claims': claimsOf(connectorId),
        ':place': joinKey(numberPart(now), id),
        ':seconds': nowSeconds(context),
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  )
  return result.done || textOf(result.stored, 'claimId') === claimId
}

/** As with a claim, a repeated withdrawal finds its own mark. */
async function withdraw(context: AdapterContext, id: string): Promise<boolean> {
  const withdrawalId = context.random.uuid()
  const outcome: CommandOutcome = { state: 'unsent', reason: 'expired' }
  const result = await conditionally(() =>
    updateItem(context, {
      TableName: tableName(context, 'commands'),
      Key: commandKey(id),
      UpdateExpression: 'SET outcome = :outcome, endedAt = :now, withdrawalId = :withdrawal',
      ConditionExpression: IS_FREE,
      ExpressionAttributeValues: {
        ':outcome': outcome,
        ':now': context.clock.now(),
        ':withdrawal': withdrawalId,
        ':seconds': nowSeconds(context),
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  )
  return result.done || textOf(result.stored, 'withdrawalId') === withdrawalId
}

/** Parts are written first, so that every reader of the outcome finds them all. Parts of a second outcome expire. */
async function complete(
  context: AdapterContext,
  long: LongOutcomes,
  end: { readonly id: string; readonly outcome: CommandOutcome; readonly scope: CommandScope | undefined },
): Promise<void> {
  const parts = await packOutcome(end.outcome)
  if (parts === undefined) await endAs(context, end.id, 'outcome', end.outcome)
  else await endAs(context, end.id, 'outcomeParts', await long.write(end.id, parts, end.scope))
}

async function endAs(
  context: AdapterContext,
  id: string,
  attribute: 'outcome' | 'outcomeParts',
  value: object,
): Promise<boolean> {
  const { done } = await conditionally(() =>
    updateItem(context, {
      TableName: tableName(context, 'commands'),
      Key: commandKey(id),
      UpdateExpression: 'SET #outcome = :outcome, endedAt = :now REMOVE gsi_pk, gsi_sk',
      ConditionExpression: WAITS,
      ExpressionAttributeNames: { '#outcome': attribute },
      ExpressionAttributeValues: { ':outcome': value, ':now': context.clock.now(), ':seconds': nowSeconds(context) },
    }),
  )
  return done
}

/** The index lags a moment: a command that has ended since then fails its condition, and stays unchanged. */
async function endClaimsOf(context: AdapterContext, connectorId: string, claimedBefore: number): Promise<EndedClaims> {
  const { items, next } = await queryEntries(context, 'commands', {
    Limit: claimsAtATime,
    KeyConditionExpression: 'gsi_pk = :claims AND gsi_sk < :before',
    ExpressionAttributeValues: {
      ':claims': claimsOf(connectorId),
      ':before': joinKey(numberPart(Math.max(0, claimedBefore))),
    },
  })
  const outcome: CommandOutcome = { state: 'unknown', reason: 'connector_lost' }
  let ended = 0
  for (const item of items) {
    const [id] = splitKey(textOf(item, 'pk') ?? '')
    if (await endAs(context, id, 'outcome', outcome)) ended += 1
  }
  return { ended, more: next !== undefined }
}

function claimsOf(connectorId: string): string {
  return joinKey('claimed', connectorId)
}

function commandKey(id: string) {
  return { pk: joinKey(id), sk: 'command' }
}
