import { DomainError, invalidField } from '../errors.ts'

/**
 * The time for which a run of a request holds its key: a request has 28 s by the contract, and its function is stopped
 * at 29 s.
 */
export const leaseMs = 30_000

/** A request that is about to run under a key. */
export interface KeyedRequest {
  readonly domain: string
  readonly key: string
  readonly fingerprint: string
  /** Used if the key was not claimed before. */
  readonly seed: string
  readonly claimId: string
  /** Epoch milliseconds. */
  readonly now: number
}

/** Reads the header of a key: 1 to 128 visible characters. Throws `invalid_field`. */
export function readKey(header: string): string {
  if (/^[\x21-\x7e]{1,128}$/.test(header)) return header
  throw invalidField('Idempotency-Key', 'must be 1-128 visible characters')
}

/**
 * Claims a key for one run of a request. If the result contains an answer, it is that of an earlier run, and the
 * request must not run again. Otherwise the request runs with the returned seed: it is that of the first run, which may
 * have died after it had changed something. Throws `idempotency_conflict` when the key belongs to another request, and
 * `in_progress` while another run holds it.
 */
export async function claimKey(
  keys: Pick<IdempotencyStore, 'create' | 'takeOver'>,
  { now, ...wanted }: KeyedRequest,
): Promise<RequestKey> {
  const leaseUntil = now + leaseMs
  const claim: RequestKey = { ...wanted, leaseUntil, createdAt: now }
  const known = await keys.create(claim)
  if (known === undefined) return claim
  if (known.fingerprint !== wanted.fingerprint) {
    throw new DomainError('idempotency_conflict', 'this Idempotency-Key was used for another request')
  }
  if (known.answer !== undefined) return known
  if (known.leaseUntil > now) throw inProgress()
  const taken: RequestKey = { ...known, claimId: wanted.claimId, leaseUntil }
  if (!(await keys.takeOver(taken, known.claimId))) throw inProgress()
  return taken
}

function inProgress(): DomainError {
  return new DomainError('in_progress', 'the request with this Idempotency-Key is still running', {
    retryAfterSeconds: 1,
  })
}

/** The records of requests with an `Idempotency-Key`, kept for a day. */
export interface IdempotencyStore {
  /** Writes a key if its domain has no such key; otherwise returns the existing one. */
  create(key: RequestKey): Promise<RequestKey | undefined>
  /** Replaces claim and lease of a key without an answer whose claim still is `previous`; `false` otherwise. */
  takeOver(key: RequestKey, previous: string): Promise<boolean>
  /** Stores the answer, if the key is still claimed by this run; `false` otherwise. */
  complete(key: RequestKey, answer: string): Promise<boolean>
  /** Ends the lease of this run at once, so that the request can be run again. */
  release(key: RequestKey): Promise<void>
}

/** The record of a request with an `Idempotency-Key`. */
export interface RequestKey {
  /** The domain that the caller is bound to; empty for root. */
  readonly domain: string
  readonly key: string
  readonly fingerprint: string
  /**
   * The text from which every identifier of the request is derived; sealed if the answer contains a secret. The first
   * claim chose it, so every further run creates the same identifiers.
   */
  readonly seed: string
  readonly claimId: string
  /** Epoch milliseconds up to which no other run starts. */
  readonly leaseUntil: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** The answer, in text; absent while the request runs, or when its run died. */
  readonly answer?: string | undefined
}
