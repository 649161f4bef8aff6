import { invalidField } from '../../errors.ts'
import { type RateLimitStore, rateLimited } from '../../requests/rate-limit.ts'
import type { DeliveryQueue } from './delivery-queue.ts'
import type { DeliveryStore } from './delivery-store.ts'
import { type Delivery, queuedAttempt } from './delivery.ts'
import type { HookStore } from '../definition/hook-store.ts'
import type { Clock } from '../../time.ts'
import { placeAt } from './delivery-place.ts'
import { isDeliveryId } from './read-delivery.ts'
import { type HookName, readHook } from '../definition/read-hook.ts'
import { requireEnabled } from './resend-delivery.ts'

export interface Replaying {
  readonly hooks: Pick<HookStore, 'read'>
  readonly deliveries: Pick<DeliveryStore, 'list' | 'reopen'>
  readonly deliveryQueue: Pick<DeliveryQueue, 'send'>
  readonly rateLimits: Pick<RateLimitStore, 'takeInWindow'>
  readonly clock: Clock
}

/** Which deliveries are wanted again; moments are epoch milliseconds, both ends included. */
export interface ReplayWindow {
  readonly from: number
  readonly to: number
  /** Those in this state alone; all that have ended where it is left out. */
  readonly state?: 'delivered' | 'failed' | 'skipped' | undefined
  /** The `next` of the request before. */
  readonly cursor?: string | undefined
}

/** The result of one request. */
export interface Replayed {
  readonly requeued: number
  /** Deliveries that already wait for an attempt: they were left as they are. */
  readonly pending: number
  /** Deliveries that were sent too often, or that another writer changed meanwhile. */
  readonly left: number
  /** Where the next request goes on; `null` when this one came to the end of the window. */
  readonly next: string | null
}

/** The limits of a replay. */
export const replayLimits = {
  /** How far back it reaches, from the contract's rule on payloads. */
  reachMs: 7 * 86_400_000,
  looked: 500,
  batch: 100,
  atOnce: 25,
  requests: { limit: 30, windowMs: 60_000 },
  /**
   * By how much deliveries may be made in another order than their events: an event whose handling failed is taken
   * again for five minutes.
   */
  disorderMs: 10 * 60_000,
} as const

/**
 * Queues the deliveries of a hook from a time window again, each under its id, the oldest first. One request does a
 * part, and its `next` is the place at which the next one continues. Safe to repeat: pending deliveries are not queued
 * twice. Tests are not replayed. Throws `invalid_field` for a window that is invalid or begins too long ago,
 * `not_found`, `conflict` for a disabled hook, and `rate_limited`.
 */
export async function replayDeliveries(tools: Replaying, name: HookName, window: ReplayWindow): Promise<Replayed> {
  const now = tools.clock.now()
  checkWindow(window, now)
  const hook = await readHook(tools.hooks, name)
  requireEnabled(hook)
  const verdict = await tools.rateLimits.takeInWindow(`replay:${name.domain}`, replayLimits.requests, now)
  if (!verdict.isAllowed) throw rateLimited(verdict, 'too many replays of this domain')
  const start = window.cursor ?? (await placeAt(tools.deliveries, name, window.from - replayLimits.disorderMs))
  return replayFrom(tools, name, window, start)
}

function checkWindow({ from, to, cursor }: ReplayWindow, now: number): void {
  if (from > to) throw invalidField('to', 'must not be before from')
  if (from < now - replayLimits.reachMs) {
    throw invalidField('from', 'must not be more than 7 days ago: what deliveries carried is not kept any longer')
  }
  if (cursor !== undefined && !isDeliveryId(cursor)) throw invalidField('cursor', 'must be the next of a replay')
}

async function replayFrom(tools: Replaying, name: HookName, window: ReplayWindow, start: string): Promise<Replayed> {
  const counts = { requeued: 0, pending: 0, left: 0 }
  let after = start
  for (let looked = 0; looked < replayLimits.looked; looked += replayLimits.batch) {
    const range = { newestFirst: false, limit: replayLimits.batch, after }
    const batch = await tools.deliveries.list(name.domain, name.id, range)
    const ours = batch.filter((delivery) => isIn(delivery, window))
    const ended = ours.filter(({ state }) => state !== 'pending')
    const opened = await reopen(tools, ended)
    counts.requeued += opened
    counts.left += ended.length - opened
    counts.pending += ours.length - ended.length
    // One alone says nothing: an event that came back from the dead letters has its old number.
    const isOver = batch.every(({ createdAt }) => createdAt > window.to + replayLimits.disorderMs)
    if (isOver || batch.length < replayLimits.batch) return { ...counts, next: null }
    after = batch.at(-1)?.id ?? after
  }
  return { ...counts, next: after }
}

/** Whether a delivery is of the window: a pending one is whatever state is wanted. Numbers of events begin with 1. */
function isIn({ createdAt, sequence, state }: Delivery, window: ReplayWindow): boolean {
  if (createdAt < window.from || createdAt > window.to || sequence === 0) return false
  return window.state === undefined || state === 'pending' || state === window.state
}

/**
 * Opens deliveries and queues them; answers how many. What the queue does not take is on record as pending, and is
 * queued within minutes with all that is overdue.
 */
async function reopen({ deliveries, deliveryQueue, clock }: Replaying, ended: readonly Delivery[]): Promise<number> {
  let opened = 0
  for (let start = 0; start < ended.length; start += replayLimits.atOnce) {
    const now = clock.now()
    const some = ended.slice(start, start + replayLimits.atOnce)
    const again = await Promise.all(some.map((delivery) => deliveries.reopen(delivery, now)))
    const ours = again.filter((delivery) => delivery !== undefined)
    if (ours.length > 0) await deliveryQueue.send(ours.map((delivery) => queuedAttempt(delivery, now)))
    opened += ours.length
  }
  return opened
}
