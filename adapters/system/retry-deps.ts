import type { RetryDeps } from '../../core/concurrency/retry.ts'
import { systemTimers } from './system-timers.ts'

/**
 * The timers and the jitter of retries in adapters. Jitter needs no secret randomness, and `context.random` is for
 * secrets.
 */
export const retryDeps: RetryDeps = { timers: systemTimers, random: Math.random }
