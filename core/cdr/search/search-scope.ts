import type { SearchPlan } from '../search-plan.ts'

/** The CDRs that a search may find. */
export interface SearchScope {
  /** `null`: the CDRs of all domains. */
  readonly domain: string | null
  /**
   * Only CDRs of legs that began at or after this time, epoch milliseconds: older ones belong to an earlier domain of
   * that name. All by default, as for root without a domain.
   */
  readonly since?: number | undefined
  /** Only CDRs of this presence id; all where absent. */
  readonly presenceId?: string | undefined
}

/** The members of a plan that limit its results, whatever its query says. */
type Bounds = Pick<SearchPlan, 'domain' | 'presenceId' | 'from' | 'to'>

/** Returns the bounds of a search over a span of created_time inside a scope; nothing if they do not overlap. */
export function boundsOf(
  { domain, since = -Infinity, presenceId }: SearchScope,
  span: { readonly from: number; readonly to: number },
): Bounds | undefined {
  const from = Math.max(span.from, since)
  return from > span.to ? undefined : { domain: domain ?? undefined, presenceId, from, to: span.to }
}
