/** The queue of deleted domains whose records must be removed. */
export interface CleanupQueue {
  /** Queues a domain. `delaySeconds` is at most 900. */
  send(cleanup: QueuedCleanup): Promise<void>
}

/** A message of the clean-up queue. */
export interface QueuedCleanup {
  readonly domain: string
  /** The time of the deletion request, epoch milliseconds. */
  readonly requestedAt: number
  /** The time at which the domain's calls had ended and its phones were dropped, epoch milliseconds; absent before. */
  readonly silencedAt?: number | undefined
  readonly delaySeconds: number
}
