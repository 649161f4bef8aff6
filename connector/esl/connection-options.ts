import type { EslConnectionLost, EslEventUnreadable } from './errors.ts'
import type { EslEvent } from './event.ts'
import type { EslLimits } from './limits.ts'
import type { EslTimers } from './timers.ts'

/** The counters of a connection, in an object that outlives it. */
export interface EslTally {
  /** When the last byte came, in the milliseconds of the timers. */
  heardAt: number
  bytes: number
  events: number
  /** Events, and frames of a kind that is not known, which may be some. */
  unreadableEvents: number
  lateReplies: number
  strayReplies: number
}

/** The settings and callbacks of a connection. After `onEnd`, which is called exactly once, nothing else is called. */
export interface EslConnectionOptions {
  readonly host: string
  readonly port: number
  readonly password: string
  readonly timers: EslTimers
  readonly limits: EslLimits
  readonly tally: EslTally
  onReady(): void
  onEvent(event: EslEvent): void
  /** As that of a session. */
  room?: (() => Promise<void> | undefined) | undefined
  onUnreadable(error: EslEventUnreadable): void
  onEnd(error: EslConnectionLost): void
}
