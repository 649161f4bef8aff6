import { type Delivery, deliveryLimits, runsOf } from '../../../core/hooks/delivery/delivery.ts'
import type { AttemptOutcome } from '../../../core/hooks/delivery/delivery-store.ts'
import type { AdapterContext } from '../../context.ts'
import { type Item, type Update, tableName } from '../client.ts'
import { deliveryKey, dueKey, failedKey } from './delivery-item.ts'
import { nowSeconds } from '../items.ts'

const stillWaits = '#state = :pending AND tries = :tries AND expiresAt > :now'

const stillPlanned = `${stillWaits} AND nextAttemptAt = :planned`

type Name = Pick<Delivery, 'domain' | 'hookId' | 'id'>

function base(context: AdapterContext, delivery: Name) {
  return {
    TableName: tableName(context, 'deliveries'),
    Key: deliveryKey(delivery),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  }
}

function asGiven(context: AdapterContext, { tries }: Delivery): Item {
  return { ':pending': 'pending', ':tries': tries, ':now': nowSeconds(context) }
}

/** Returns the write that records the beginning of a run. */
export function beginning(context: AdapterContext, delivery: Delivery, run: string, at: number): Update {
  return {
    ...base(context, delivery),
    UpdateExpression: 'SET begun.#run = :at',
    ConditionExpression: `${stillPlanned} AND (size(begun) < :runs OR attribute_exists(begun.#run))`,
    ExpressionAttributeNames: { '#state': 'state', '#run': run },
    ExpressionAttributeValues: {
      ...asGiven(context, delivery),
      ':planned': delivery.nextAttemptAt ?? null,
      ':at': at,
      ':runs': deliveryLimits.runs,
    },
  }
}

/**
 * Returns the write of an attempt that advances its delivery. `mark` identifies it if the answer of the write is lost.
 */
export function decision(context: AdapterContext, delivery: Delivery, outcome: AttemptOutcome, mark: string): Update {
  const { run, attempt, state, nextAttemptAt } = outcome
  const place = placeOf(delivery, outcome)
  const leaves = [
    ...(nextAttemptAt === undefined ? ['nextAttemptAt'] : []),
    ...(place === undefined ? ['gsi_pk', 'gsi_sk'] : []),
    ...(run === undefined ? [] : ['begun.#run']),
  ]
  const sets = [
    'attempts = list_append(attempts, :attempts)',
    '#state = :state',
    'tries = :next',
    'triedFor = :triedFor',
    'decidedBy = :mark',
    ...(nextAttemptAt === undefined ? [] : ['nextAttemptAt = :at']),
    ...(place === undefined ? [] : ['gsi_pk = :gsi_pk', 'gsi_sk = :gsi_sk']),
  ]
  return {
    ...base(context, delivery),
    UpdateExpression: `SET ${sets.join(', ')}${leaves.length === 0 ? '' : ` REMOVE ${leaves.join(', ')}`}`,
    ConditionExpression: run === undefined ? stillWaits : `${stillWaits} AND attribute_exists(begun.#run)`,
    ExpressionAttributeNames: { '#state': 'state', ...(run === undefined ? {} : { '#run': run }) },
    ExpressionAttributeValues: {
      ...asGiven(context, delivery),
      ':attempts': [attempt],
      ':state': state,
      ':next': delivery.tries + 1,
      ':triedFor': delivery.nextAttemptAt ?? null,
      ':mark': mark,
      ...(nextAttemptAt === undefined ? {} : { ':at': nextAttemptAt }),
      ...(place === undefined ? {} : { ':gsi_pk': place.gsi_pk, ':gsi_sk': place.gsi_sk }),
    },
  }
}

function placeOf(delivery: Delivery, { state, nextAttemptAt }: AttemptOutcome) {
  if (state === 'failed') return failedKey(delivery)
  return nextAttemptAt === undefined ? undefined : dueKey(delivery.id, nextAttemptAt)
}

/**
 * Returns the write of an attempt of a delivery that another attempt has advanced. If the list is full, it only ends
 * the attempt's run.
 */
export function addition(
  context: AdapterContext,
  delivery: Delivery,
  { attempt, state }: AttemptOutcome,
  { run, hasRoom }: { readonly run: string; readonly hasRoom: boolean },
): Update {
  const isDelivered = state === 'delivered'
  const sets = [
    ...(hasRoom ? ['attempts = list_append(attempts, :attempts)'] : []),
    ...(isDelivered ? ['#state = :state'] : []),
  ]
  const leaves = ['begun.#run', ...(isDelivered ? ['nextAttemptAt', 'gsi_pk', 'gsi_sk'] : [])]
  return {
    ...base(context, delivery),
    UpdateExpression: `${sets.length === 0 ? '' : `SET ${sets.join(', ')} `}REMOVE ${leaves.join(', ')}`,
    ConditionExpression: `attribute_exists(begun.#run) AND expiresAt > :now${hasRoom ? ' AND size(attempts) < :room' : ''}`,
    ExpressionAttributeNames: { '#run': run, ...(isDelivered ? { '#state': 'state' } : {}) },
    ExpressionAttributeValues: {
      ':now': nowSeconds(context),
      ...(hasRoom ? { ':attempts': [attempt], ':room': deliveryLimits.attempts } : {}),
      ...(isDelivered ? { ':state': state } : {}),
    },
  }
}

/** Returns the write of another time for the next attempt. */
export function newPlan(context: AdapterContext, delivery: Delivery, at: number): Update {
  const { gsi_pk, gsi_sk } = dueKey(delivery.id, at)
  return {
    ...base(context, delivery),
    UpdateExpression: 'SET nextAttemptAt = :at, gsi_pk = :gsi_pk, gsi_sk = :gsi_sk',
    ConditionExpression: stillPlanned,
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: {
      ...asGiven(context, delivery),
      ':planned': delivery.nextAttemptAt ?? null,
      ':at': at,
      ':gsi_pk': gsi_pk,
      ':gsi_sk': gsi_sk,
    },
  }
}

/** Returns the write that makes an ended delivery pending again. */
export function reopening(context: AdapterContext, delivery: Delivery, at: number): Update {
  const { gsi_pk, gsi_sk } = dueKey(delivery.id, at)
  const { interrupted, underWay } = runsOf(delivery, at)
  const sets = [
    '#state = :pending',
    'attempts = list_append(attempts, :interrupted)',
    'begun = :underWay',
    'earlierTries = tries',
    'nextAttemptAt = :at',
    'gsi_pk = :gsi_pk',
    'gsi_sk = :gsi_sk',
  ]
  return {
    ...base(context, delivery),
    UpdateExpression: `SET ${sets.join(', ')}`,
    // A delivery that has ended only loses runs, so an equal count means the same runs.
    ConditionExpression:
      '#state <> :pending AND tries = :tries AND size(begun) = :runs AND expiresAt > :now AND size(attempts) < :room',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: {
      ...asGiven(context, delivery),
      ':runs': Object.keys(delivery.begun).length,
      ':interrupted': interrupted,
      ':underWay': underWay,
      ':at': at,
      ':gsi_pk': gsi_pk,
      ':gsi_sk': gsi_sk,
      ':room': deliveryLimits.reopened,
    },
    ReturnValues: 'ALL_NEW',
  }
}
