/** The last report of a connector about itself and its engines. */
export interface ConnectorReport {
  readonly connectorId: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Epoch milliseconds. */
  readonly reportedAt: number
  readonly version: string
  /** Whether both links to an engine are up; of several engines, to one at least. */
  readonly engineConnected: boolean
  /** Epoch milliseconds of the last byte from the engine; 0 when none came yet. */
  readonly engineHeardAt: number
  /** The engine's `Core-UUID`; empty when unknown. */
  readonly engineId: string
  /** The engine's own multi-line status text; empty when unknown. */
  readonly engineStatus: string
  /** Commands that wait for an answer. */
  readonly commandsInFlight: number
  /** Commands that wait to be sent. */
  readonly commandsWaiting: number
  /** The same by the domain of the commands, the busiest first; absent in reports that older connectors wrote. */
  readonly commandsByDomain?: readonly DomainCommands[] | undefined
  /** Starts of this connector since the deployment, less one. */
  readonly restarts: number
  /** Each engine that it has links to, in the order of its settings; absent in reports of earlier versions. */
  readonly engines?: readonly EngineReport[] | undefined
  /** The progress of its reading of each engine's events; absent in reports of earlier versions. */
  readonly eventLinks?: readonly EventLinkReport[] | undefined
  /**
   * Every event that it read before this moment, epoch milliseconds, has been queued, or its loss recorded; absent as
   * above.
   */
  readonly handedOverTo?: number | undefined
  /** Every event that it read before this moment, epoch milliseconds, has been queued or is on its disk; absent as above. */
  readonly keptTo?: number | undefined
  /** The location of its waiting events; absent if that is memory only, and in reports of earlier versions. */
  readonly spool?: SpoolReport | undefined
  /**
   * The start of an orderly stop, epoch milliseconds; absent while it runs, and when it was killed. It continues to read and
   * hand over for a while, and its last report has the same moment.
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
  /** The engine's name. */
  readonly engine: string
  /** The position of the newest event and its engine process; empty before the first. */
  readonly last: EventPosition
  /** Since when the link has been up without a break, epoch milliseconds; 0 while it is down. */
  readonly upSince: number
  /**
   * The time since which events of the engine were missed or dropped without a recorded gap, epoch milliseconds; while the
   * engine is down, the time at which it was last heard. Absent if there are none, and before it was ever up.
   */
  readonly lostAt?: number | undefined
  /**
   * By the engine's own clock, epoch milliseconds: every event before this moment has been queued. Absent before the first,
   * and in reports of earlier versions.
   */
  readonly handedOverTo?: number | undefined
  /**
   * By the engine's own clock, epoch milliseconds: every event before this moment has been queued or is on disk. Absent in
   * reports of earlier versions.
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
