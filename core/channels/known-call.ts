/** Facts of a call's leg as the engine reports them. Unknown ones are empty text. */
export interface LegFacts {
  /** The account of the leg, `<login>@<domain>` with the domain in lower case. See `accountOfLeg`. */
  readonly presenceId: string
  /** `inbound` or `outbound`, seen from the engine. */
  readonly direction: string
  readonly callerName: string
  readonly callerNumber: string
  readonly calledNumber: string
  /** Microseconds of the engine's clock as it writes them. */
  readonly createdAt: string
  /** The engine's name of the channel, such as `loopback/9198-b`. */
  readonly name: string
  /** The engine module that created it, such as `mod_sofia` or `mod_loopback`. */
  readonly source: string
  readonly origin: string
}

/** A leg is up, or its engine has ended it and the queues have not been given all of its end yet. */
export type LegState = 'up' | 'ended'

/** A leg that an engine has reported, stored until its end has been handed over to the queues. */
export interface KnownCall extends LegFacts {
  readonly uuid: string
  /** The name of its engine; never empty. */
  readonly engine: string
  /** The `Core-UUID` of the process of that engine; never empty. */
  readonly core: string
  /** Never empty: legs of no domain are not stored. */
  readonly domain: string
  readonly state: LegState
  /**
   * When the engine sent the newest event of the leg, microseconds; by its own clock, unless that is off by more than a
   * minute. 0 if no event came yet. Of two records the one with the later time stands; of one time, the last written.
   */
  readonly changedAt: number
  /** The time at which a connector learned of it, epoch milliseconds. */
  readonly knownAt: number
}

/** A call that the API has placed, stored from the order on, and neither ended nor refused. */
export interface PlacedCall {
  readonly domain: string
  readonly uuid: string
  /** Epoch milliseconds. */
  readonly placedAt: number
  /** The engine lists the call from then on if it is up, epoch milliseconds. */
  readonly showsBy: number
  /** Whether an engine has reported it as up. */
  readonly isUp: boolean
}
