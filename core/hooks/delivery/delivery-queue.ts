/** A delivery's next attempt, queued. */
export interface DeliveryQueue {
  /** Queues one attempt for each. `delaySeconds` is at most 900. Answers the ids that were not taken. */
  send(deliveries: readonly QueuedDelivery[]): Promise<readonly string[]>
  /** How many attempts wait to be taken, about; not those that are held back or under way. */
  waiting(): Promise<number>
}

/** A message of the delivery queue: where the delivery is recorded, not its content. */
export interface QueuedDelivery {
  readonly id: string
  readonly domain: string
  readonly hookId: string
  /** 1 for the first. */
  readonly attempt: number
  /** The moment that this attempt was planned for, epoch milliseconds: another plan makes the message void. */
  readonly dueAt: number
  readonly delaySeconds: number
  readonly requestId?: string | undefined
}
