import type { Domain } from './domain.ts'

/** Clocks of engines and of the service differ by this much at most. */
const mostSlackMs = 60_000

/**
 * Returns the moment (epoch milliseconds) before which nothing belongs to the tenant whose domain was created at
 * `createdAt`. Anything older belongs to an earlier tenant of the same name, and is neither found nor published. An
 * engine's clock may be a minute slow. The name became free no sooner than the grace period after the deletion of the
 * earlier domain. So with at most half of the grace period, no call that was admitted before that deletion, or within
 * half of the grace period after it, counts as the new tenant's.
 */
export function tenancyStart(createdAt: number, graceMs: number): number {
  return createdAt - Math.min(mostSlackMs, graceMs / 2)
}

/**
 * Returns whether something that began at a moment (epoch milliseconds) belongs to this tenant, and not to an earlier
 * one of the name.
 */
export function isOfTenant(domain: Pick<Domain, 'createdAt'> | undefined, startedAt: number, graceMs: number): boolean {
  return domain !== undefined && startedAt >= tenancyStart(domain.createdAt, graceMs)
}
