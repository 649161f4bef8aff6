import type { CommandOutcome, EngineCommand, OrderedBy } from './commands.ts'

/** Sends commands to the engine, each at most once. */
export interface CallEngine {
  /**
   * Records the command, queues it and waits for its outcome. If no connector claims it within `waitMs`, it is
   * withdrawn and has ended as `expired`. `undefined`: it was claimed, and no outcome came in time. With an `id` (a
   * UUID), repeated runs are one command: a repetition returns the outcome of the first, and is sent only when it is
   * certain that the first was not.
   */
  run(command: EngineCommand, by: OrderedBy, waitMs: number, id?: string): Promise<CommandOutcome | undefined>
  /**
   * Records and queues a command whose outcome no caller waits for. With an `id`, repeated sends are one command. A
   * call that may have been queued counts as queued: if it throws, this one is not placed.
   */
  send(command: EngineCommand, by: OrderedBy, id?: string): Promise<void>
}
