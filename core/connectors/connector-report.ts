/** The last report of a connector about itself and its engines. */
export interface ConnectorReport {
  readonly connectorId: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Epoch milliseconds. */
  readonly reportedAt: number
  readonly version: string
  readonly commandsInFlight: number
  readonly commandsWaiting: number
  readonly commandsByDomain: readonly DomainCommands[]
  /** Starts of this connector since the deployment, less one. */
  readonly restarts: number
  readonly engines: readonly EngineReport[]
  readonly eventLinks: readonly EventLinkReport[]
  /** Every event that it read before this moment, epoch milliseconds, has been queued, or its loss recorded. */
  readonly handedOverTo: number
  /** Every event that it read before this moment, epoch milliseconds, has been queued or is on its disk. */
  readonly keptTo: number
  /** The location of its waiting events; absent if that is memory only. */
  readonly spool?: SpoolReport | undefined
  /**
   * The start of an orderly stop, epoch milliseconds; absent while it runs, and when it was killed. It continues to
   * read and hand over for a while, and its last report has the same moment.
   */
  readonly stoppedAt?: number | undefined
}

/** The commands of one domain that a connector works on. */
export interface DomainCommands {
  readonly domain: string
  readonly inFlight: number
  readonly waiting: number
}

/** The ownership of a connector's place on disk. */
export interface SpoolReport {
  /** Names the process and, where that is known, its machine: `<pid>-<start>-<boot>`. */
  readonly owner: string
  /** Earlier owners whose events it has taken over; the newest 20. */
  readonly taken: readonly string[]
  /** Events that it left there after its stop; only the last report of an orderly stop has it. */
  readonly left?: number | undefined
}

/** A connector's report about one engine. */
export interface EngineReport {
  /** `host:port`. */
  readonly name: string
  /** Its `Core-UUID`; empty when unknown. */
  readonly coreUuid: string
  /** Whether both links to it are up. */
  readonly connected: boolean
  /** Epoch milliseconds of the last byte from it; 0 when none came yet. */
  readonly heardAt: number
  /** Its own multi-line status text; empty when unknown. */
  readonly status: string
  /** Channels that it held when it was last heard; absent while that is not known. */
  readonly channels?: number | undefined
  /** Whether its profile of gateways has TLS; absent while that is not known. */
  readonly hasGatewayTls?: boolean | undefined
}

/** The progress of a connector's reading of one engine's events. */
export interface EventLinkReport {
  readonly engine: string
  /** The position of the newest event and its engine process; empty before the first. */
  readonly last: EventPosition
  /** Since when the link has been up without a break, epoch milliseconds; 0 while it is down. */
  readonly upSince: number
  /**
   * The time since which events of the engine were missed or dropped without a recorded gap, epoch milliseconds; while
   * the engine is down, the time at which it was last heard. Absent if there are none, and before it was ever up.
   */
  readonly lostAt?: number | undefined
  /**
   * By the engine's own clock, epoch milliseconds: every event before this moment has been queued. Absent before the
   * first.
   */
  readonly handedOverTo?: number | undefined
  /**
   * By the engine's own clock, epoch milliseconds: every event before this moment has been queued or is on disk. Absent
   * if the engine was never reached.
   */
  readonly keptTo?: number | undefined
}

/** Names an event of an engine's process. Sequences identify; they neither order nor count. */
export interface EventPosition {
  /** Empty when unknown. */
  readonly coreUuid: string
  /** Empty when unknown. */
  readonly sequence: string
}
