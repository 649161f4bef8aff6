import type { CommandOutcome, CommandScope, EngineCommand } from '../../../core/commands/commands.ts'
import type { CallEngine } from '../../../core/commands/call-engine.ts'

/** One order that a memory engine was given. */
interface GivenCommand {
  readonly command: EngineCommand
  readonly scope: CommandScope
  /** Absent for an order whose outcome no caller waits for. */
  readonly waitMs?: number
}

/** A {@link CallEngine} that keeps its orders and gives the answers that a test chose. */
export interface MemoryCallEngine extends CallEngine {
  /** Every order, in the order given. */
  readonly given: GivenCommand[]
  /** The answer of `run`: a fixed `+OK` until replaced; `undefined` stands for no answer in time. */
  answer: (command: EngineCommand, scope: CommandScope) => CommandOutcome | undefined
}

/** An engine in memory. */
export function memoryCallEngine(): MemoryCallEngine {
  const outcomes = new Map<string, CommandOutcome | undefined>()
  const engine: MemoryCallEngine = {
    given: [],
    answer: () => ({ state: 'done', text: '+OK' }),
    async run(command, { domain, presenceId }, waitMs, id) {
      if (id !== undefined && outcomes.has(id)) return outcomes.get(id)
      const scope = { domain, presenceId }
      engine.given.push({ command, scope, waitMs })
      const outcome = engine.answer(command, scope)
      if (id !== undefined && outcome?.state !== 'unsent') outcomes.set(id, outcome)
      return outcome
    },
    async send(command, { domain, presenceId }) {
      engine.given.push({ command, scope: { domain, presenceId } })
    },
  }
  return engine
}
