/** A tenant. */
export interface Domain {
  /** Lower case host name or IPv4 literal; also the tenant's id. */
  readonly name: string
  readonly customerId: string
  readonly variables: Readonly<Record<string, string>>
  readonly parameters: Readonly<Record<string, string>>
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Made with the domain: tells it from one of the same name made before or after, and its creation from another. */
  readonly creationId: string
  /** How many accounts the domain has; kept exact by the writes that create and delete them. */
  readonly accountCount: number
  /** Rises by one with every write of variables and parameters; the guard against lost updates. */
  readonly version: number
}

/** A tenant whose deletion has begun: nothing may use it any more, and its name is not free yet. */
export interface DeletedDomain {
  readonly name: string
  /** When its deletion began, epoch milliseconds. */
  readonly since: number
  /** As they were then. */
  readonly parameters: Readonly<Record<string, string>>
}
