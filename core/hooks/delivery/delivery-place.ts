import type { DeliveryStore } from './delivery-store.ts'
import type { Delivery } from './delivery.ts'
import type { HookName } from '../definition/read-hook.ts'

/** Hex digits of the number of its event that the id of a delivery begins with, after `msg_`. */
const digits = 12

/**
 * Returns a text that sorts before the ids of all deliveries of events from a number on, and after those of all earlier
 * ones.
 */
export function placeOf(sequence: number): string {
  return `msg_${sequence.toString(16).padStart(digits, '0')}`
}

function numberIn({ id }: Pick<Delivery, 'id'>): number {
  return Number.parseInt(id.slice('msg_'.length, 'msg_'.length + digits), 16)
}

/**
 * Where the deliveries of a hook begin that were made at or after a moment (epoch milliseconds): after this place. Asks
 * for at most one delivery fifty times, however many there are. Where they were not made in the order of their events,
 * it is a place between one made before and one made after the moment.
 */
export async function placeAt(deliveries: Pick<DeliveryStore, 'list'>, hook: HookName, at: number): Promise<string> {
  const [newest] = await deliveries.list(hook.domain, hook.id, { newestFirst: true, limit: 1 })
  let [low, high] = [0, newest === undefined ? 0 : numberIn(newest) + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const range = { newestFirst: false, limit: 1, after: placeOf(middle) }
    const [first] = await deliveries.list(hook.domain, hook.id, range)
    if (first === undefined || first.createdAt >= at) high = middle
    else low = numberIn(first) + 1
  }
  return placeOf(low)
}
