import type { CommandOutcome, EngineCommand, OrderedBy } from '../commands.ts'

/** Sends commands to the engine, each at most once. */
export interface CallEngine {
  /**
   * Records the command, queues it and waits for its outcome. What nobody has taken within `waitMs` is withdrawn and
   * has ended as `expired`; `undefined`: it was taken, and no outcome came in time. With an `id` (a UUID) it is one
   * command however often it is run: a repetition is answered with the outcome of the first, and is sent only when it is
   * certain that the first was not.
   */
  run(command: EngineCommand, by: OrderedBy, waitMs: number, id?: string): Promise<CommandOutcome | undefined>
  /** Records and queues the command and does not wait. */
  send(command: EngineCommand, by: OrderedBy): Promise<void>
}
