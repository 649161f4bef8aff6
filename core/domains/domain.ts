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
