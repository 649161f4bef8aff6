/** The part of a message that decides its order in a standard queue. */
export interface GroupedMessage {
  readonly messageGroupId?: string | undefined
}

/**
 * When a tenant (a message group) counts as noisy, by the documentation of SQS fair queues: it has more than a tenth of
 * the messages in flight, and at least thirty of them.
 */
const noisy = { share: 0.1, messages: 30 }

/** The messages of one tenant, oldest first; those before `next` are handed out already. */
interface Lane<M> {
  readonly group: string | undefined
  waiting: { readonly message: M; readonly arrival: number }[]
  next: number
}

/**
 * The messages that wait in a standard queue, in the order in which it hands them out: those of quiet tenants as they
 * came, then those of noisy tenants, the one with the fewest in flight first. A message without a group belongs to a
 * tenant that is never noisy. SQS also detects tenants by their share of processing time, and remembers them until
 * their backlog is gone; this order does neither, so it is no kinder to the others than SQS is.
 *
 * Each tenant has a lane, so handing out a message costs a look at each tenant that waits, however long the backlog is.
 */
export class FairBacklog<M extends GroupedMessage> implements Iterable<M> {
  readonly #lanes = new Map<string | undefined, Lane<M>>()
  #noise: ReadonlyMap<string, number> = new Map()
  #arrivals = 0
  #length = 0

  constructor(messages: Iterable<M> = []) {
    for (const message of messages) this.push(message)
  }

  get length(): number {
    return this.#length
  }

  push(message: M): void {
    const group = message.messageGroupId
    let lane = this.#lanes.get(group)
    if (lane === undefined) {
      lane = { group, waiting: [], next: 0 }
      this.#lanes.set(group, lane)
    }
    lane.waiting.push({ message, arrival: this.#arrivals++ })
    this.#length += 1
  }

  /** Decides who is noisy by the messages that are in flight now; it holds until the next call. */
  judge(inFlight: Iterable<GroupedMessage>): void {
    const counts = new Map<string, number>()
    let total = 0
    for (const { messageGroupId: group } of inFlight) {
      total += 1
      if (group !== undefined) counts.set(group, (counts.get(group) ?? 0) + 1)
    }
    this.#noise = new Map([...counts].filter(([, count]) => count >= noisy.messages && count > total * noisy.share))
  }

  shift(): M | undefined {
    let first: Lane<M> | undefined
    for (const lane of this.#lanes.values()) if (first === undefined || this.#isBefore(lane, first)) first = lane
    const message = first?.waiting[first.next]?.message
    if (first === undefined || message === undefined) return undefined
    first.next += 1
    this.#length -= 1
    if (first.next === first.waiting.length) this.#lanes.delete(first.group)
    else if (first.next * 2 > first.waiting.length) {
      first.waiting = first.waiting.slice(first.next)
      first.next = 0
    }
    return message
  }

  *[Symbol.iterator](): Iterator<M> {
    const left = [...this.#lanes.values()].flatMap(({ waiting, next }) => waiting.slice(next))
    for (const { message } of left.sort((one, other) => one.arrival - other.arrival)) yield message
  }

  #isBefore(one: Lane<M>, other: Lane<M>): boolean {
    const [noise, least] = [this.#noiseOf(one), this.#noiseOf(other)]
    return noise === least ? arrivalOf(one) < arrivalOf(other) : noise < least
  }

  #noiseOf({ group }: Lane<M>): number {
    return group === undefined ? 0 : (this.#noise.get(group) ?? 0)
  }
}

function arrivalOf<M>({ waiting, next }: Lane<M>): number {
  return waiting[next]?.arrival ?? Number.POSITIVE_INFINITY
}
