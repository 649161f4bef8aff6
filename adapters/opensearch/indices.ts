import type { Leg } from '../../core/cdr/cdr.ts'

/** Returns the index for CDRs of one kind of leg that were created in one month, by UTC. */
export function indexOf(leg: Leg, createdTime: number): string {
  return indexName(leg, monthOf(createdTime))
}

/** Returns the document of a leg in its index: two tenants may have the same uuid. */
export function documentId({ domain_name, uuid }: { readonly domain_name: string; readonly uuid: string }): string {
  return `${domain_name}:${uuid}`
}

/** Names that one request may list: the search store takes a request line of 4096 bytes, a name takes 16. */
const MAX_NAMES = 200

/**
 * Returns the indices, separated by commas, that may hold CDRs of these legs and this span of time (both ends
 * included).
 */
export function indicesOf(legs: readonly Leg[], from: number, to: number): string {
  const [first, last] = [monthOf(from), monthOf(to)]
  const count = Math.max(0, last - first + 1)
  if (legs.length === 0 || count === 0) return NO_INDEX
  if (!(count * legs.length <= MAX_NAMES)) return legs.map((leg) => `cdr-${leg}-*`).join(',')
  const months = Array.from({ length: count }, (_, index) => first + index)
  return legs.flatMap((leg) => months.map((month) => indexName(leg, month))).join(',')
}

/** The name of no index: an empty list would mean all of them. */
const NO_INDEX = 'cdr-none'

/** Months since the year 0. */
function monthOf(time: number): number {
  const date = new Date(time)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

function indexName(leg: Leg, month: number): string {
  const year = String(Math.floor(month / 12)).padStart(4, '0')
  return `cdr-${leg}-${year}-${String((month % 12) + 1).padStart(2, '0')}`
}
