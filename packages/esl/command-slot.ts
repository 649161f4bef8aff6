import type { EslCommand } from './command.ts'
import type { EslError } from './errors.ts'

/** The engine's answer: the body of a result as it is, or the Reply-Text. `-ERR` is an answer too. */
export type Settle = (answer: string | EslError) => void

/** A command on its way, and whom to tell how it ended. */
export interface CommandSlot {
  readonly command: EslCommand
  /** Absent once the command has ended without its reply, which may still come. */
  settle: Settle | undefined
  cancelTimer: () => void
  isAmongOthers: boolean
}

/** Returns a command that has not been written. */
export function commandSlot(command: EslCommand, settle: Settle): CommandSlot {
  return { command, settle, cancelTimer: () => {}, isAmongOthers: false }
}

/** Ends a command, unless it has ended before. */
export function endSlot(slot: CommandSlot, answer: string | EslError): void {
  const { settle } = slot
  slot.cancelTimer()
  slot.settle = undefined
  settle?.(answer)
}

const MAX_ASIDE = 1_000

/**
 * Jobs whose reply is lost, or cannot be distinguished from another's. No later command waits for them; they keep their
 * time, since their own reply may come after all, and their effect may be reported by their event.
 */
export class JobsAside {
  readonly #jobs = new Map<string, CommandSlot>()

  /** Puts a job aside, and forgets the oldest when there are too many. */
  put(slot: CommandSlot): void {
    const [oldest] = this.#jobs.keys()
    if (this.#jobs.size >= MAX_ASIDE && oldest !== undefined) this.#jobs.delete(oldest)
    if (slot.settle === undefined) slot.cancelTimer()
    this.#jobs.set(slot.command.jobUuid ?? '', slot)
  }

  has({ command }: CommandSlot): boolean {
    return this.#jobs.has(command.jobUuid ?? '')
  }

  take(jobUuid: string | undefined): CommandSlot | undefined {
    const slot = this.#jobs.get(jobUuid ?? '')
    this.#jobs.delete(jobUuid ?? '')
    return slot
  }

  takeAll(): CommandSlot[] {
    const all = [...this.#jobs.values()]
    this.#jobs.clear()
    return all
  }
}
