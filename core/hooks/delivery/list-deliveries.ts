import { invalidField } from '../../errors.ts'
import { applyList } from '../../requests/apply-list.ts'
import { type ListQuery, readCursor, readWishes, writeCursor } from '../../requests/list-query.ts'
import { handedOverBytes } from '../../requests/json-bytes.ts'
import type { DeliveryStore } from './delivery-store.ts'
import type { DeliveryState } from './delivery.ts'
import type { HookStore } from '../definition/hook-store.ts'
import type { Clock } from '../../time.ts'
import { type PresentedDelivery, presentDelivery } from './present-delivery.ts'
import { type HookName, readHook } from '../definition/read-hook.ts'

/** The query of the log: that of every list, and a state that alone is wanted. */
export interface DeliveryQuery extends ListQuery {
  readonly state?: DeliveryState | undefined
}

export interface DeliveryListing {
  readonly hooks: Pick<HookStore, 'read'>
  readonly deliveries: Pick<DeliveryStore, 'list'>
  readonly clock: Clock
}

/** A page of the log, and where it goes on. */
export interface DeliveryPage {
  readonly data: Partial<PresentedDelivery>[]
  readonly headers: Readonly<Record<string, string>>
}

const fields = ['id', 'hook', 'event', 'uuid', 'sequence', 'created', 'state', 'attempts', 'nextAttemptAt'] as const

/** The limits of one page. */
export const deliveryListLimits = {
  usual: 40,
  batch: 200,
  /** Deliveries that one request looks at: after them, its page ends where it is and the cursor goes on. */
  looked: 2_000,
  /** Bytes that its function hands over: the page ends before the delivery that is too much, and has one at least. */
  weight: 4_000_000,
} as const

/**
 * Returns the log of a hook's deliveries, the newest event first, or the oldest if `sort` says `{"created":1}`. Always
 * in pages. A page may have fewer entries than its limit although a cursor follows, if a filter rejects many or the
 * page is large. Throws `not_found` and `invalid_field`.
 */
export async function listDeliveries(
  { hooks, deliveries, clock }: DeliveryListing,
  name: HookName,
  query: DeliveryQuery,
): Promise<DeliveryPage> {
  const newestFirst = readOrder(query)
  const limit = query.limit ?? deliveryListLimits.usual
  const skipped = ((query.page ?? 1) - 1) * limit
  if (skipped + limit > deliveryListLimits.looked) {
    throw invalidField('page', `must not lead beyond ${deliveryListLimits.looked} deliveries: use the cursor`)
  }
  await readHook(hooks, name)
  const { found, last } = await look({ deliveries, now: clock.now() }, name, {
    query,
    wanted: skipped + limit + 1,
    newestFirst,
    after: query.cursor === undefined ? undefined : readCursor(query.cursor).id,
  })
  const wanted = found.slice(skipped, skipped + limit)
  const page = wanted.slice(0, bearable(wanted))
  const isWhole = found.length <= skipped + limit && page.length === wanted.length
  const next = isWhole ? last : page.at(-1)?.id
  return {
    data: applyList(page, { columns: query.columns, limit }, { id: ({ id }) => id, fields }).rows.map(
      ({ item }) => item,
    ),
    headers: {
      ...(next === undefined ? {} : { 'X-Next-Cursor': writeCursor({ id: next, values: [0] }) }),
      ...(page.length < wanted.length ? { 'X-Truncated': 'true' } : {}),
    },
  }
}

interface Look {
  readonly query: DeliveryQuery
  readonly wanted: number
  readonly newestFirst: boolean
  readonly after: string | undefined
}

async function look(
  { deliveries, now }: Pick<DeliveryListing, 'deliveries'> & { readonly now: number },
  { domain, id }: HookName,
  { query, wanted, newestFirst, after }: Look,
): Promise<{ found: PresentedDelivery[]; last: string | undefined }> {
  const isFiltered = query.state !== undefined || query.filter !== undefined
  const found: PresentedDelivery[] = []
  let last = after
  for (let looked = 0; looked < deliveryListLimits.looked; looked += deliveryListLimits.batch) {
    const limit = isFiltered ? deliveryListLimits.batch : Math.min(deliveryListLimits.batch, wanted - found.length)
    const batch = await deliveries.list(domain, id, { newestFirst, limit, after: last })
    found.push(
      ...matching(
        batch.map((delivery) => presentDelivery(delivery, now)),
        query,
      ),
    )
    last = batch.at(-1)?.id ?? last
    if (batch.length < limit) return { found, last: undefined }
    if (found.length >= wanted) break
  }
  return { found, last }
}

function matching(batch: readonly PresentedDelivery[], { state, filter }: DeliveryQuery): PresentedDelivery[] {
  const ofState = state === undefined ? [...batch] : batch.filter((delivery) => delivery.state === state)
  if (filter === undefined) return ofState
  const { rows } = applyList(ofState, { filter }, { id: ({ id }) => id, fields })
  const kept = new Set(rows.map(({ id }) => id))
  return ofState.filter(({ id }) => kept.has(id))
}

function bearable(page: readonly PresentedDelivery[]): number {
  let weight = 0
  const tooMuch = page.findIndex((delivery) => (weight += handedOverBytes(delivery)) > deliveryListLimits.weight)
  return tooMuch < 0 ? page.length : Math.max(1, tooMuch)
}

function readOrder(query: DeliveryQuery): boolean {
  if (query.cursor !== undefined && query.page !== undefined) {
    throw invalidField('cursor', 'must not be given together with page')
  }
  const { sort } = readWishes(query, fields)
  const [first] = sort
  if (first === undefined) return true
  if (sort.length > 1 || first.field !== 'created')
    throw invalidField('sort', 'must be {"created":1} or {"created":-1}')
  return first.direction === -1
}
