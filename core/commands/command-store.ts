import type { CommandOutcome, CommandRecord, CommandScope, EndedClaims, PendingUnregistration } from './commands.ts'

/** The records of commands, between the endpoints and the connectors. */
export interface CommandStore {
  /** Writes a record; `false` when one with that id exists. */
  create(record: CommandRecord): Promise<boolean>
  /** Reads consistently. */
  read(id: string): Promise<CommandRecord | undefined>
  /** Claims a command for one connector: `true` exactly once for each id, and never when it has ended. */
  claim(id: string, connectorId: string): Promise<boolean>
  /**
   * Ends an unclaimed command as `expired`. `true` means that no connector will ever claim it; `false`: it was claimed
   * or has ended.
   */
  withdraw(id: string): Promise<boolean>
  /**
   * Stores the outcome; the first one stays. With the scope of the command, a long outcome may be stored once for
   * several commands of that scope, and no longer than they are waited for.
   */
  complete(id: string, outcome: CommandOutcome, scope?: CommandScope): Promise<void>
  /**
   * Ends commands that a connector claimed before `claimedBefore` (epoch milliseconds) and that have no outcome, oldest
   * first, as `unknown` with `connector_lost`: `claimsAtATime` commands at most. Existing outcomes stay, and later ones
   * change nothing. Very recent claims may be skipped.
   */
  endClaimsOf(connectorId: string, claimedBefore: number): Promise<EndedClaims>
  /**
   * Records that the engine created the channel `actual` although `chosen` was requested. The last record of a uuid
   * counts.
   */
  keepAlias(chosen: string, actual: string): Promise<void>
  /** Returns the channel that the engine created although `chosen` was requested, for a week. Reads consistently. */
  readAlias(chosen: string): Promise<string | undefined>
  /** Records drops that engines owe, for a week. A recorded one stays once, for the new command. */
  addUnregistrations(drops: readonly PendingUnregistration[]): Promise<void>
  /** Returns the drops that an engine owes. Reads consistently. */
  listUnregistrations(engine: string): Promise<readonly PendingUnregistration[]>
  /** Removes a drop that its engine has done, unless another command demanded it since; ignores a missing one. */
  endUnregistration(drop: PendingUnregistration): Promise<void>
}

/** A message as it was taken off a queue. */
export interface TakenMessage {
  readonly body: string
  /** Messages of one group must be handled one after another, in the order of receipt. */
  readonly group: string
  readonly receipt: string
}

/**
 * Receives commands from the queue. It belongs to the connector alone and is not listed in `contracts/ports.ts`: the
 * queue comes with its task.
 */
export interface CommandReceiver {
  /**
   * Receives at most `limit` (1 to 10) messages, in order; waits up to 20 s for the first, or until `signal` is
   * aborted. A message that is not removed within the queue's visibility time is delivered again, to any connector.
   */
  receive(limit: number, signal: AbortSignal): Promise<readonly TakenMessage[]>
  remove(message: TakenMessage): Promise<void>
}
