/** One step of a callflow: JSON that core/default-routes has parsed. */
export type CallflowStep = Readonly<Record<string, unknown>>

/** The handling of calls whose dialled number matches a pattern, without the callflow. */
export interface RouteHead {
  /** 24 lower-case hex digits. */
  readonly id: string
  readonly domain: string
  /** A regular expression of the linear-time matcher. */
  readonly destinationNumber: string
  readonly name: string
  /** Routes are tried in ascending order; equal orders are sorted by id. */
  readonly order: number
  readonly disabled: boolean
  /** The time zone of the callflow's expressions; `null`: the engine's own. */
  readonly fsTimezone: string | null
  readonly description: string
  /** The gateway whose calls a public route takes; absent: those of every gateway of the domain. */
  readonly gateway?: string | undefined
  /** The version of the callflow's schema. */
  readonly version: number
  /** Size of the callflow as JSON in UTF-8. */
  readonly callflowBytes: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Rises by one with every write. */
  readonly revision: number
}

/** A route as it is stored. */
export interface StoredRoute extends RouteHead {
  readonly callflow: readonly CallflowStep[]
}
