import type { EventPosition } from '../connectors/connector-report.ts'

/** A time in which events of an engine may have been missed, or were dropped. */
export interface Gap {
  /** Derived from whose gap it is, the engine, the reason and the beginning: one gap is recorded once. */
  readonly id: string
  readonly connectorId: string
  /** The connector that recorded it, which is another one if the first was killed. */
  readonly recordedBy: string
  /** The engine's name; empty for events that were dropped whatever engine they came from. */
  readonly engine: string
  /**
   * Why the link was lost, in its own words, or `engine-restarted`, `connector-killed`, `connector-stopped`,
   * `spool-lost`, `queue-lost`, `unreadable`, `dropped`.
   */
  readonly reason: string
  /** Epoch milliseconds. */
  readonly from: number
  /** Epoch milliseconds. */
  readonly to: number
  readonly before: EventPosition
  readonly after: EventPosition
  readonly dropped?: { readonly class: string; readonly count: number } | undefined
}

/** A gap and when it became known. */
export interface RecordedGap extends Gap {
  /** Epoch milliseconds. */
  readonly recordedAt: number
}
