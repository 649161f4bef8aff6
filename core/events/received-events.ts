/** The events that a batch has taken from the queue. */
export interface ReceivedEvents {
  /**
   * Removes at most ten events by their receipts before their batch is over, so that the next ones of their groups can
   * be taken. Removing one again is allowed.
   */
  ack(receipts: readonly string[]): Promise<void>
}
