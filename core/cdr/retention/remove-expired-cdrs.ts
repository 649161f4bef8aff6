import { cdrRetentionDaysOf, retentionMs } from '../../client-names/domain-parameters.ts'
import type { DomainStore } from '../../domains/domain-store.ts'
import { readKeptDomains } from '../../recordings/left-recordings.ts'
import { spansOf } from '../../recordings/remove-expired-recordings.ts'
import type { RecordingStore } from '../../recordings/recording-store.ts'
import type { Clock } from '../../time.ts'
import type { CdrAdmin } from '../cdr-admin.ts'
import { latestReportMs, longestCallMs } from '../cdr-of-end.ts'
import type { CdrStore, RemovalPlan } from '../cdr-store.ts'
import type { Clause } from '../search-plan.ts'

/** The dependencies of {@link removeExpiredCdrs}. */
export interface RemovingExpiredCdrs {
  readonly domains: Pick<DomainStore, 'list' | 'listDeleted'>
  readonly recordings: Pick<RecordingStore, 'listLeft'>
  readonly cdrs: Pick<CdrStore, 'remove'>
  readonly cdrAdmin: Pick<CdrAdmin, 'removeEmpty'>
  readonly clock: Clock
  /** The time after its deletion for which a domain's name stays reserved, milliseconds. */
  readonly graceMs: number
  /** For how many days CDRs are kept where a domain does not say. */
  readonly cdrDays: number
}

/** CDRs that one request removes: seconds of work for the store. */
const removedTogether = 5_000

/**
 * Removes the CDRs that are past their retention: first those of domains that have one of their own, deleted ones
 * included, one by one; then those of all others together, among them domains that are long gone. Works until all is
 * done or until `until` (epoch milliseconds); each run begins with another domain. Returns the number of CDRs.
 */
export async function removeExpiredCdrs(
  tools: RemovingExpiredCdrs,
  until: number,
): Promise<{ readonly removed: number; readonly isCutShort: boolean }> {
  const { domains, recordings, clock, cdrDays } = tools
  const now = clock.now()
  const { present, left } = await readKeptDomains(domains, recordings)
  const own = present.filter((one) => cdrRetentionDaysOf(one) !== undefined || left.has(one.name))
  const spans = spansOf(own, left, tools, {
    own: (domain) => cdrRetentionDaysOf(domain) ?? cdrDays,
    left: ({ cdrRetentionDays = cdrDays, hasUsualCdrs = false }) =>
      hasUsualCdrs ? Math.max(cdrRetentionDays, cdrDays) : cdrRetentionDays,
  })
  const plans = spans.map(({ domain, from, before }) => planOf({ from, to: before - 1 }, { kind: 'all' }, domain))
  const names = [...new Set(spans.map(({ domain }) => domain))]
  const others: Clause = {
    kind: 'bool',
    must: [],
    mustNot: names.length === 0 ? [] : [{ kind: 'equals', field: 'domain_name', values: names }],
    should: [],
    leastShould: 0,
  }
  const first = plans.length === 0 ? 0 : Math.floor(now / 3_600_000) % plans.length
  const rest = planOf({ from: 0, to: now - retentionMs(cdrDays) - 1 }, others)
  let removed = 0
  for (const plan of [rest, ...plans.slice(first), ...plans.slice(0, first)]) {
    for (let found = removedTogether; found === removedTogether; removed += found) {
      if (clock.now() >= until) return { removed, isCutShort: true }
      found = await tools.cdrs.remove(plan, removedTogether)
    }
  }
  await tools.cdrAdmin.removeEmpty(now - longestCallMs - latestReportMs)
  return { removed, isCutShort: false }
}

function planOf(span: { from: number; to: number }, query: Clause, domain?: string): RemovalPlan {
  return { ...span, query, legs: ['a', 'b'], ...(domain === undefined ? {} : { domain }) }
}
