/** A place in a {@link Chain}. Only the chain changes it. */
export interface Link<T> {
  readonly value: T
  next: Link<T> | undefined
  previous: Link<T> | undefined
  /** Absent once the value was taken out. */
  chain: Chain<T> | undefined
}

/**
 * Values in order, any of which can be removed in constant time. In a `Set`, finding the first value takes time for
 * each one that was removed before it.
 */
export class Chain<T> {
  #first: Link<T> | undefined
  #last: Link<T> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): Link<T> | undefined {
    return this.#first
  }

  push(value: T): Link<T> {
    const link: Link<T> = { value, next: undefined, previous: this.#last, chain: this }
    if (this.#last === undefined) this.#first = link
    else this.#last.next = link
    this.#last = link
    this.#size += 1
    return link
  }

  remove(link: Link<T> | undefined): void {
    if (link?.chain !== this) return
    if (link.previous === undefined) this.#first = link.next
    else link.previous.next = link.next
    if (link.next === undefined) this.#last = link.previous
    else link.next.previous = link.previous
    link.chain = undefined
    this.#size -= 1
  }

  /** The values in their order. One that is taken out while it is looked at ends nothing. */
  *values(): Generator<T> {
    for (let link = this.#first; link !== undefined; link = link.next) yield link.value
  }
}
