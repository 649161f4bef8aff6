import { DomainError } from '../../core/errors.ts'
import { TimeLimitPassed } from '../time-limit.ts'
import { BodyFailed, type ObjectAnswer } from './object-request.ts'
import { textOfElement } from './object-xml.ts'

/** That the object store answered and said no. `code` is its own word for it. */
export class ObjectRefusal extends Error {
  override readonly name = 'ObjectRefusal'
  readonly status: number
  readonly code: string

  constructor(what: string, status: number, code: string) {
    super(`${what}: ${code} (${status})`)
    this.status = status
    this.code = code
  }
}

/** Waits before the second and the third try, each shortened at random. */
const waitsMs = [100, 400]

/** Refusals of bytes that are not those of their checksum, or that are no part. */
const wrongBytes = new Set([
  'BadDigest',
  'InvalidDigest',
  'XAmzContentSHA256Mismatch',
  'XAmzContentChecksumMismatch',
  'EntityTooSmall',
  'EntityTooLarge',
  'IncompleteBody',
])

/** Refusals that pass by themselves. */
const passing = new Set(['SlowDown', 'RequestTimeout', 'OperationAborted', 'InternalError', 'ServiceUnavailable'])

/**
 * Makes a request, again where a fault may pass and it may be made again, and answers what it answered where the status
 * is one of `taken`. Fails with `store_unavailable` when the store cannot be had, with `bad_request` when it refuses the
 * bytes, with `internal_error` when it refuses anything else, and with the error of the body's own source when that failed.
 */
export async function answered(
  what: string,
  ask: () => Promise<ObjectAnswer>,
  { taken, isOnce = false }: { readonly taken: readonly number[]; readonly isOnce?: boolean },
): Promise<ObjectAnswer> {
  for (let tries = 0; ; tries += 1) {
    try {
      const answer = await ask()
      if (taken.includes(answer.status)) return answer
      throw refusalOf(what, answer)
    } catch (cause) {
      if (cause instanceof TimeLimitPassed) throw new DomainError('deadline_exceeded', cause.message, { cause })
      if (cause instanceof BodyFailed) throw cause.cause
      if (cause instanceof DomainError) throw cause
      const wait = isOnce ? undefined : waitsMs[tries]
      if (!passes(cause) || wait === undefined) throw failure(cause)
      await pause(wait)
    }
  }
}

/** What the store says no to by a word, where it said no. A `HEAD` is answered without one. */
export function refusalOf(what: string, { status, body }: ObjectAnswer): ObjectRefusal {
  return new ObjectRefusal(what, status, textOfElement(body?.toString() ?? '', 'Code') ?? 'unnamed')
}

/** What becomes of a fault for whoever asked. */
export function failure(cause: unknown): DomainError {
  if (passes(cause)) {
    return new DomainError('store_unavailable', 'the object store does not answer, try again', {
      retryAfterSeconds: 2,
      cause,
    })
  }
  if (cause instanceof ObjectRefusal && wrongBytes.has(cause.code)) {
    return new DomainError('bad_request', 'the object store refused the bytes: they are not those of their checksum', {
      cause,
    })
  }
  return new DomainError('internal_error', 'the object store refused the request', { cause })
}

function passes(error: unknown): boolean {
  if (!(error instanceof ObjectRefusal)) return true
  return error.status >= 500 || error.status === 429 || passing.has(error.code)
}

/** Waits between half of `ms` and all of it. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms * (0.5 + Math.random() / 2))
  })
}
