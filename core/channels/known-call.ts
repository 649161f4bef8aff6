/**
 * A leg of a call that a connector knew to be up, as it is stored for whoever comes after that connector. What is not
 * known of it is an empty text.
 */
export interface KnownCall {
  readonly uuid: string
  /** The name of the engine that has it; never empty. */
  readonly engine: string
  /** The `Core-UUID` of the process of that engine; never empty. */
  readonly core: string
  /** Never empty: legs of no domain are not stored. */
  readonly domain: string
  /** `<login>@<domain>` as the engine has it, lower-cased. */
  readonly presenceId: string
  /** `inbound` or `outbound`, seen from the engine. */
  readonly direction: string
  readonly callerName: string
  readonly callerNumber: string
  readonly calledNumber: string
  /** Microseconds of the engine's clock as it writes them. */
  readonly createdAt: string
  /** What the engine calls the leg. */
  readonly name: string
  /** The uuid of the leg that it was made to be joined to. */
  readonly origin: string
  /** When a connector learned of it, epoch milliseconds. */
  readonly knownAt: number
}
