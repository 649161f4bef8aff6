/** A tenant. */
export interface Domain {
  /** Lower case host name or IPv4 literal; also the tenant's id. */
  readonly name: string
  readonly customerId: string
  readonly variables: Readonly<Record<string, string>>
  readonly parameters: Readonly<Record<string, string>>
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** The id of the creation, which distinguishes it from earlier and later domains of the same name. */
  readonly creationId: string
  /** The number of the domain's accounts; kept exact by the writes that create and delete them. */
  readonly accountCount: number
  /** Rises by one with every write of variables and parameters; the guard against lost updates. */
  readonly version: number
}

/** A tenant whose deletion has begun: nothing may use it any more, and its name is not free yet. */
export interface DeletedDomain {
  readonly name: string
  /** The start of its deletion, epoch milliseconds. */
  readonly since: number
  /** The parameters at that time. */
  readonly parameters: Readonly<Record<string, string>>
}

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
