/** What the order of a standard queue looks at in a message. */
export interface GroupedMessage {
  readonly messageGroupId?: string | undefined
}

/**
 * When a tenant (a message group) counts as noisy, by the documentation of SQS fair queues: it has more than a tenth of the
 * messages in flight, and at least thirty of them.
 */
const noisy = { share: 0.1, messages: 30 }

/**
 * The order in which a standard queue hands out its messages: those of quiet tenants as they came, then those of noisy
 * tenants, the one with the fewest in flight first. A message without a group is a tenant of its own. SQS also detects
 * tenants by their share of processing time, and remembers them until their backlog is gone; this order does neither, so
 * it is no kinder to the others than SQS is.
 */
export function fairOrder<M extends GroupedMessage>(waiting: readonly M[], inFlight: readonly GroupedMessage[]): M[] {
  const counts = new Map<string, number>()
  for (const { messageGroupId: group } of inFlight) {
    if (group !== undefined) counts.set(group, (counts.get(group) ?? 0) + 1)
  }
  const noise = ({ messageGroupId: group }: GroupedMessage) => {
    const count = group === undefined ? 0 : (counts.get(group) ?? 0)
    return count >= noisy.messages && count > inFlight.length * noisy.share ? count : 0
  }
  // The sort is stable: within equal noise the order of arrival stays.
  return waiting.toSorted((one, other) => noise(one) - noise(other))
}
