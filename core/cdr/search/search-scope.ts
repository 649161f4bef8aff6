import type { SearchPlan } from '../search-plan.ts'

/** Whose CDRs a search may find. */
export interface SearchScope {
  /** `null`: those of all domains. */
  readonly domain: string | null
  /**
   * Only CDRs of legs that began then or later, epoch milliseconds: what is older is of an earlier domain of that name.
   * All where absent, as for root without a domain.
   */
  readonly since?: number | undefined
  /** Only CDRs of this presence id; all where absent. */
  readonly presenceId?: string | undefined
}

/** The members of a plan that bound what it finds, whatever its query says. */
type Bounds = Pick<SearchPlan, 'domain' | 'presenceId' | 'from' | 'to'>

/** The bounds of a search over a span of created_time inside a scope; nothing when none of the span is in it. */
export function boundsOf(
  { domain, since = -Infinity, presenceId }: SearchScope,
  span: { readonly from: number; readonly to: number },
): Bounds | undefined {
  const from = Math.max(span.from, since)
  return from > span.to ? undefined : { domain: domain ?? undefined, presenceId, from, to: span.to }
}
