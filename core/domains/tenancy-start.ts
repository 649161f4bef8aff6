import type { Domain } from './domain.ts'

/** Clocks of engines and of the service differ by this much at most. */
const mostSlackMs = 60_000

/**
 * Nothing that began before this moment (epoch milliseconds) is of the tenant whose domain was made at `createdAt`: what
 * is older is of an earlier tenant of the same name, and is neither found nor told. An engine's clock may be behind by a
 * minute. The name was free no sooner than the grace after the deletion of the earlier domain, so with half of the grace
 * at most no call that was let in before that deletion, or within half of the grace after it, is taken for the new tenant's.
 */
export function tenancyStart(createdAt: number, graceMs: number): number {
  return createdAt - Math.min(mostSlackMs, graceMs / 2)
}

/** Whether what began at a moment (epoch milliseconds) is of this tenant, and not of nobody or an earlier one of the name. */
export function isOfTenant(domain: Pick<Domain, 'createdAt'> | undefined, startedAt: number, graceMs: number): boolean {
  return domain !== undefined && startedAt >= tenancyStart(domain.createdAt, graceMs)
}
