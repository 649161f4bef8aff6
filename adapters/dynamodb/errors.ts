import {
  type AttributeValue,
  type CancellationReason,
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb'
import { DomainError } from '../../core/errors.ts'

/** An item as an error tells it. */
type RawItem = Readonly<Record<string, AttributeValue>>

/** Refusals that say that the service itself asked wrongly: asking again helps nobody. */
const ownFaults = new Set([
  'AccessDeniedException',
  'ValidationException',
  'ResourceNotFoundException',
  'UnrecognizedClientException',
  'IncompleteSignature',
  'MissingAuthenticationTokenException',
  'ItemCollectionSizeLimitExceededException',
])

/** Reasons of a cancelled transaction that pass by themselves. */
const passingReasons = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])

/** Waits between tries of a transaction that met another one on the same item; each is shortened at random. */
const CONFLICT_WAITS_MS = [25, 50, 100, 200, 400]

/** Runs a call to the store; whatever it throws leaves as a `DomainError`. */
export async function guarded<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw translated(error)
  }
}

/** What came of a conditional write. `stored` is the item that the condition met, where there was one. */
export type Conditional = { readonly done: true } | { readonly done: false; readonly stored: RawItem | undefined }

/** Runs a conditional write that asks for the item which a failed condition met. */
export async function conditionally(write: () => Promise<unknown>): Promise<Conditional> {
  try {
    await write()
    return { done: true }
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return { done: false, stored: error.Item }
    throw translated(error)
  }
}

/** One part of a cancelled transaction: whether its condition failed, and the item that it met, if asked for. */
export interface FailedPart {
  readonly failed: boolean
  readonly stored: RawItem | undefined
}

/**
 * Runs a transaction, again after a pause when it met another one. Answers nothing when it was done, and its parts, in
 * order, when the condition of at least one failed.
 */
export async function transacted(write: () => Promise<unknown>): Promise<FailedPart[] | undefined> {
  return uncontended(async () => {
    try {
      await write()
      return undefined
    } catch (error) {
      const reasons = reasonsOf(error)
      if (reasons.some((reason) => reason.Code === 'ConditionalCheckFailed')) return reasons.map(failedPart)
      throw error
    }
  })
}

/** Runs a call, again after a pause each time that another transaction held one of its items. */
export async function uncontended<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call()
    } catch (error) {
      const wait = CONFLICT_WAITS_MS[tries]
      if (wait === undefined || !isContention(error)) throw translated(error)
      await pause(wait)
    }
  }
}

/** The text of an attribute of a stored item; `undefined` when it is another thing or none. */
export function textOf(item: RawItem | undefined, attribute: string): string | undefined {
  return item?.[attribute]?.S
}

/** The number of an attribute of a stored item; `undefined` when it is another thing or none. */
export function numberOf(item: RawItem | undefined, attribute: string): number | undefined {
  const digits = item?.[attribute]?.N
  return digits === undefined ? undefined : Number(digits)
}

/** The texts in a list attribute of a stored item. */
export function textsOf(item: RawItem | undefined, attribute: string): string[] {
  return (item?.[attribute]?.L ?? []).flatMap((value) => value.S ?? [])
}

function reasonsOf(error: unknown): readonly CancellationReason[] {
  return error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : []
}

function failedPart(reason: CancellationReason): FailedPart {
  return { failed: reason.Code === 'ConditionalCheckFailed', stored: reason.Item }
}

function isContention(error: unknown): boolean {
  if (error instanceof TransactionConflictException || error instanceof TransactionInProgressException) return true
  return reasonsOf(error).some((reason) => passingReasons.has(reason.Code ?? ''))
}

function translated(error: unknown): DomainError {
  if (error instanceof DomainError) return error
  const name = error instanceof Error ? error.name : ''
  if (ownFaults.has(name)) return new DomainError('internal_error', 'the store refused the request', { cause: error })
  return new DomainError('store_unavailable', 'the store does not answer, try again', {
    retryAfterSeconds: 2,
    cause: error,
  })
}

/** Waits between half of `ms` and all of it. Jitter needs no secret randomness, and `context.random` is for secrets. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms * (0.5 + Math.random() / 2))
  })
}
