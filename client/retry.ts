import { CallplaneError } from './error.ts'

/** Chance and time of retries; tests replace them. */
export interface RetryDeps {
  /** A number from 0 to 1, 1 excluded. */
  readonly random: () => number
  /** Waits, and rejects with the signal's reason if that ends the wait. */
  readonly pause: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

const firstWaitMs = 200
const longestWaitMs = 5_000
/** A longer wait than this is the caller's decision: the error is thrown at once. */
const longestRequestedMs = 30_000

/** Runs an attempt, and again up to `retries` times while it fails in a way that may pass. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  retries: number,
  signal: AbortSignal | undefined,
  { random, pause }: RetryDeps,
): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (failures >= retries || !mayPass(error)) throw error
      const requestedMs = (error.retryAfterSeconds ?? 0) * 1000
      if (requestedMs > longestRequestedMs) throw error
      const most = Math.min(firstWaitMs * 2 ** failures, longestWaitMs)
      await pause(requestedMs + most * (0.5 + random() / 2), signal)
    }
  }
}

/**
 * Returns whether a repetition may succeed. 500 and 504 are final: the effect may have happened, and the platform
 * stores no such answer under the key of the request.
 */
function mayPass(error: unknown): error is CallplaneError {
  if (!(error instanceof CallplaneError)) return false
  const { code, status } = error
  if (code === 'unreachable' || code === 'timed_out') return true
  return code === 'in_progress' || code === 'rate_limited' || status === 502 || status === 503
}

/** Waits by the machine's clock. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(reasonOf(signal))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason })
}
