import type { EslConnectionLost, EslDownReason, EslEventUnreadable } from './errors.ts'
import type { EslEvent } from './event.ts'
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

/** How much the client holds in memory, and how long it waits. Sizes are bytes, times are milliseconds. */
export interface EslLimits {
  /** Longest header block of a frame. The engine's own are below 1 KiB. */
  readonly maxHeaderBytes: number
  /** Longest body of a frame; a channel list of a large engine is tens of megabytes. */
  readonly maxBodyBytes: number
  /** Commands that wait for their turn; one more is refused as not sent. */
  readonly maxWaitingCommands: number
  /** From the connection attempt to the engine's greeting, and from our password to its answer. */
  readonly greetingMs: number
  /** From giving a command to its reply, waiting for its turn included. */
  readonly commandMs: number
  /** How long a command waits for the replies to jobs before the engine is asked whether they still come. */
  readonly blockedMs: number
  /** How long the reply of a command that timed out is waited for before the connection is given up. */
  readonly overdueMs: number
  /** Longest silence: two heartbeats of an engine (20 s each) and a margin. */
  readonly silenceMs: number
  /** Shortest and longest wait before connecting again; the longest leaves time for the login within 10 s. */
  readonly retryMinMs: number
  readonly retryMaxMs: number
  /** The shortest wait after a refused password or address: trying faster would look like an attack. */
  readonly refusedRetryMs: number
  /** How long `close` waits for the engine's goodbye. */
  readonly closeMs: number
}

/** The limits that hold unless an argument says otherwise. */
export const defaultEslLimits: EslLimits = {
  maxHeaderBytes: 64 * 1024,
  maxBodyBytes: 64 * 1024 * 1024,
  maxWaitingCommands: 1_000,
  greetingMs: 5_000,
  commandMs: 10_000,
  blockedMs: 2_000,
  overdueMs: 30_000,
  silenceMs: 45_000,
  retryMinMs: 250,
  retryMaxMs: 9_500,
  refusedRetryMs: 5_000,
  closeMs: 1_000,
}
