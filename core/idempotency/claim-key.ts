import { DomainError, invalidField } from '../errors.ts'
import type { IdempotencyStore } from './idempotency-store.ts'
import type { RequestKey } from './request-key.ts'

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
