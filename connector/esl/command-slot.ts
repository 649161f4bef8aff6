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
