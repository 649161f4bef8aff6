import type { CommandOutcome, CommandRecord, CommandScope, EndedClaims } from '../commands.ts'

/** The records of commands, between the endpoints and the connectors. */
export interface CommandStore {
  /** Writes a record; `false` when one with that id exists. */
  create(record: CommandRecord): Promise<boolean>
  /** Reads consistently. */
  read(id: string): Promise<CommandRecord | undefined>
  /** Takes a command for one connector: `true` exactly once for each id, and never when it has ended. */
  claim(id: string, connectorId: string): Promise<boolean>
  /**
   * Ends a command that nobody has taken as `expired`: `true` means that nobody ever will. `false` when it was taken or
   * has ended.
   */
  withdraw(id: string): Promise<boolean>
  /**
   * Stores how it ended. The first outcome stays. With the scope of the command, a long outcome may be kept once for
   * several commands of that scope, and no longer than they are waited for.
   */
  complete(id: string, outcome: CommandOutcome, scope?: CommandScope): Promise<void>
  /**
   * Ends what a connector took before `claimedBefore` (epoch milliseconds) and has told no outcome of, oldest first, as
   * `unknown` with `connector_lost`: `claimsAtATime` commands at most. Outcomes that are there stay, and one that
   * comes later changes nothing. What was taken a moment ago may be passed over.
   */
  endClaimsOf(connectorId: string, claimedBefore: number): Promise<EndedClaims>
  /** Notes that the engine made the channel `actual` where `chosen` was asked for. The last note of a uuid counts. */
  keepAlias(chosen: string, actual: string): Promise<void>
  /** The channel that the engine made where `chosen` was asked for, for a week. Reads consistently. */
  readAlias(chosen: string): Promise<string | undefined>
}

/** A message as it was taken off a queue. */
export interface TakenMessage {
  readonly body: string
  /** Messages of one group are to be handled one after another, in the order taken. */
  readonly group: string
  /** Stands for this taking of the message when it is removed. */
  readonly receipt: string
}

/** Takes commands off the queue; the connector's own, and no part of {@link Ports}: the queue comes with its task. */
export interface CommandReceiver {
  /**
   * At most `limit` (1 to 10) messages, in order; waits up to 20 s for the first, or until `signal` is aborted. What
   * is not removed within the queue's visibility time is taken again, by anybody.
   */
  receive(limit: number, signal: AbortSignal): Promise<readonly TakenMessage[]>
  /** Removes a message for good. */
  remove(message: TakenMessage): Promise<void>
}
