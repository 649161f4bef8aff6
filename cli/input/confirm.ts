import { createInterface } from 'node:readline/promises'
import { CliError, exitCodes } from '../failure/exit.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Asks before something is removed for good. Throws unless `yes` was given or the answer is the name of the thing. */
export async function confirm(terminal: Terminal, what: string, name: string, yes: boolean | undefined): Promise<void> {
  if (yes === true) return
  const { stdin, signal } = terminal
  if (stdin.isTTY !== true) throw new CliError(`${what} cannot be undone: confirm it with --yes`, exitCodes.usage)
  const lines = createInterface({ input: stdin, output: process.stderr })
  try {
    const answer = await lines.question(`${what} cannot be undone. Type ${name} to go on: `, { signal })
    if (answer.trim() !== name) throw new CliError('nothing was changed')
  } finally {
    lines.close()
  }
}
