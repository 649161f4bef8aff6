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
