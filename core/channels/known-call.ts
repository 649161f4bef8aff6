/** What an engine tells of a leg of a call: whose it is and who calls whom. What is not known is an empty text. */
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
  /** What the engine calls it, such as `loopback/9198-b`. */
  readonly name: string
  /** What made it at the engine, such as `mod_sofia` or `mod_loopback`. */
  readonly source: string
  /** The uuid of the leg that it was made to be joined to. */
  readonly origin: string
}

/** A leg of a call that a connector knew to be up, as it is stored for whoever comes after that connector. */
export interface KnownCall extends LegFacts {
  readonly uuid: string
  /** The name of the engine that has it; never empty. */
  readonly engine: string
  /** The `Core-UUID` of the process of that engine; never empty. */
  readonly core: string
  /** Never empty: legs of no domain are not stored. */
  readonly domain: string
  /** When a connector learned of it, epoch milliseconds. */
  readonly knownAt: number
}
