/** Deleted domains, queued for the removal of what they leave. */
export interface CleanupQueue {
  /** Queues a domain. `delaySeconds` is at most 900. */
  send(cleanup: QueuedCleanup): Promise<void>
}

/** What the clean-up queue carries. */
export interface QueuedCleanup {
  readonly domain: string
  /** When the deletion was asked for, epoch milliseconds. */
  readonly requestedAt: number
  /** When the clean-up had its calls ended and its phones dropped, epoch milliseconds; absent before. */
  readonly silencedAt?: number | undefined
  readonly delaySeconds: number
}
