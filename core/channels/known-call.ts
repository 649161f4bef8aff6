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
  /** The uuid of the leg that it was created for. */
  readonly origin: string
}

/** A leg that a connector knew to be up, stored for its successors. */
export interface KnownCall extends LegFacts {
  readonly uuid: string
  /** The name of its engine; never empty. */
  readonly engine: string
  /** The `Core-UUID` of the process of that engine; never empty. */
  readonly core: string
  /** Never empty: legs of no domain are not stored. */
  readonly domain: string
  /** The time at which a connector learned of it, epoch milliseconds. */
  readonly knownAt: number
}

/** Returns whether two records of a leg have the same engine, process and account; its other facts never change. */
export function isSameLeg(one: KnownCall, other: KnownCall): boolean {
  return one.engine === other.engine && one.core === other.core && one.presenceId === other.presenceId
}
