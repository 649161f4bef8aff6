import type { EslConnectionLost, EslDownReason, EslEventUnreadable } from './errors.ts'
import type { EslEvent } from './event.ts'
import type { EslLimits } from './limits.ts'
import type { EslTimers } from './timers.ts'

/** Where a session stands. It is `down` from the loss of a connection until the next attempt, which is `connecting`. */
export type EslState =
  | { readonly kind: 'connecting' }
  /** Logged in and subscribed. `coreUuid` names the engine's process, if the engine names it. */
  | { readonly kind: 'ready'; readonly coreUuid?: string }
  /** `retryInMs` is `Infinity` once the session is closed. */
  | {
      readonly kind: 'down'
      readonly reason: EslDownReason
      readonly retryInMs: number
      readonly error: EslConnectionLost
    }

/** Totals of a session since it was opened, over all its connections. */
export interface EslCounts {
  readonly connections: number
  readonly bytes: number
  readonly events: number
  readonly unreadableEvents: number
  /** Replies to commands that had timed out. */
  readonly lateReplies: number
  /** Replies to no command, or to one that cannot be determined. */
  readonly strayReplies: number
}

/**
 * The settings and callbacks of a session. It begins as `connecting`; `onState` reports every later change. `onEvent`
 * and `onState` must not throw.
 */
export interface EslSessionOptions {
  readonly host: string
  readonly port: number
  readonly password: string
  /** Names the link in messages, such as `events`. */
  readonly name: string
  /** The words after `event json`, such as `['CHANNEL_CREATE', 'CUSTOM', 'sofia::register']`; empty for none. */
  readonly subscribe: readonly string[]
  onEvent(event: EslEvent): void
  /**
   * Asked after each read. Nothing more is read until what it returns resolves: the engine holds what comes, up to
   * 100 000 events. Should take no longer than a command may (`commandMs`), whose answer waits as well.
   */
  readonly room?: (() => Promise<void> | undefined) | undefined
  onState(state: EslState): void
  /** Called for every event that was skipped because it could not be read. */
  onUnreadable?(error: EslEventUnreadable): void
  readonly timers?: EslTimers
  /** From 0 up to but not 1; spreads the reconnections. */
  readonly random?: () => number
  readonly limits?: Partial<EslLimits>
}

/** A link to the engine that comes back by itself. No command is ever sent a second time by it. */
export interface EslSession {
  readonly state: EslState
  /** When the last byte came, in the milliseconds of `timers.now`; 0 before the first. */
  readonly heardAt: number
  readonly counts: EslCounts
  /**
   * Runs a command and waits for its result: the body of the answer as it is, or the Reply-Text of a refusal; `-ERR` is
   * an answer. Rejects with EslCommandInvalid, EslCommandNotSent, EslCommandTimeout or EslCommandFateUnknown.
   */
  api(command: string): Promise<string>
  /**
   * Starts a command as a job under the caller's own id; its result is the BACKGROUND_JOB event of that `Job-UUID`.
   * Resolves when the engine accepted it. Rejects as `api` does, and with EslCommandRejected when it answers `-ERR`.
   */
  bgapi(command: string, jobUuid: string): Promise<void>
  /**
   * Changes what is subscribed, without a moment in which a kept event is not. Resolves when the engine has taken it;
   * while the session is not ready, at once, because the next connection begins with it.
   */
  resubscribe(subscribe: readonly string[]): Promise<void>
  /** Says goodbye, ends every pending command and never connects again. */
  close(): Promise<void>
}
