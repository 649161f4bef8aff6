import {
  type CancellationReason,
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { retry } from '../../core/concurrency/retry.ts'
import { DomainError } from '../../core/errors.ts'
import { ServiceRefusal } from '../aws/call-service.ts'
import { unmarshallOptions } from '../aws/dynamodb-client.ts'
import { retryDeps } from '../system/system-time.ts'
import type { Item } from './client.ts'

const passingReasons = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])

const contention = new Set(['TransactionConflictException', 'TransactionInProgressException'])

/** A transaction takes some 20 ms; six attempts end within a second, so that a request still answers in time. */
const CONTENTION = { attempts: 6, backoff: { firstMs: 25, longestMs: 400 } }

/** The result of a conditional write. `stored` is the existing item, if there was one. */
export type Conditional = { readonly done: true } | { readonly done: false; readonly stored: Item | undefined }

/** Runs a conditional write that asks for the item which a failed condition met. */
export async function conditionally(write: () => Promise<unknown>): Promise<Conditional> {
  try {
    await write()
    return { done: true }
  } catch (error) {
    const failed = refusalIn(error)?.details
    if (!(failed instanceof ConditionalCheckFailedException)) throw error
    return { done: false, stored: itemOf(failed) }
  }
}

/** One part of a cancelled transaction: whether its condition failed, and the item that it met, if asked for. */
export interface FailedPart {
  readonly failed: boolean
  readonly stored: Item | undefined
}

/**
 * Runs a transaction, again after a pause when it met another one. Answers nothing when it was done, and its parts, in
 * order, when the condition of at least one failed.
 */
export async function transacted(write: () => Promise<unknown>): Promise<FailedPart[] | undefined> {
  return retryOnTransactionConflict(() => transactedOnce(write))
}

/** Runs a transaction as {@link transacted} does, but once: that it met another one is thrown. */
async function transactedOnce(write: () => Promise<unknown>): Promise<FailedPart[] | undefined> {
  try {
    await write()
    return undefined
  } catch (error) {
    const reasons = reasonsIn(error)
    if (!reasons.some((reason) => reason.Code === 'ConditionalCheckFailed')) throw error
    return reasons.map((reason) => ({ failed: reason.Code === 'ConditionalCheckFailed', stored: itemOf(reason) }))
  }
}

/** Runs a call, again after a pause each time that another transaction held one of its items. */
export async function retryOnTransactionConflict<T>(call: () => Promise<T>): Promise<T> {
  try {
    return (await retry(call, retryDeps, { ...CONTENTION, mayPass: isContention })).value
  } catch (error) {
    if (!isContention(error)) throw error
    throw new DomainError('store_unavailable', 'the record is being changed by others, try again', {
      retryAfterSeconds: 2,
      cause: error,
    })
  }
}

/** Returns the text of an attribute; `undefined` when it is another thing or none. */
export function textOf(item: Item | undefined, attribute: string): string | undefined {
  const value = item?.[attribute]
  return typeof value === 'string' ? value : undefined
}

/** Returns the number of an attribute; `undefined` when it is another thing or none. */
export function numberOf(item: Item | undefined, attribute: string): number | undefined {
  const value = item?.[attribute]
  return typeof value === 'number' ? value : undefined
}

function refusalIn(error: unknown): ServiceRefusal | undefined {
  return error instanceof DomainError && error.cause instanceof ServiceRefusal ? error.cause : undefined
}

function reasonsIn(error: unknown): readonly CancellationReason[] {
  const cancelled = refusalIn(error)?.details
  return cancelled instanceof TransactionCanceledException ? (cancelled.CancellationReasons ?? []) : []
}

function itemOf({ Item }: Pick<CancellationReason, 'Item'>): Item | undefined {
  return Item && unmarshall(Item, unmarshallOptions)
}

function isContention(error: unknown): boolean {
  if (contention.has(refusalIn(error)?.code ?? '')) return true
  return reasonsIn(error).some((reason) => passingReasons.has(reason.Code ?? ''))
}
