import { createInterface } from 'node:readline/promises'
import { terminalText } from '../../client/index.ts'
import { CliError, exitCodes } from '../failure/exit.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** A change that is asked about before it is made. */
export interface Question {
  readonly text: string
  readonly expected: string
  /** The message where standard input is no terminal. */
  readonly wayOut: string
}

/** Asks before something is removed for good. Throws unless `yes` was given or the answer is the name of the thing. */
export async function confirm(terminal: Terminal, what: string, name: string, yes: boolean | undefined): Promise<void> {
  const text = `${what} cannot be undone. Type ${name} to go on: `
  const wayOut = `${what} cannot be undone: confirm it with --yes`
  if (yes !== true) await requireAnswer(terminal, { text, expected: name, wayOut })
}

/** Asks on the terminal. Throws for any answer other than the expected one, and where standard input is no terminal. */
export async function requireAnswer(
  { stdin, signal }: Pick<Terminal, 'stdin' | 'signal'>,
  { text, expected, wayOut }: Question,
): Promise<void> {
  if (stdin.isTTY !== true) throw new CliError(wayOut, exitCodes.usage)
  const lines = createInterface({ input: stdin, output: process.stderr })
  const closed = new AbortController()
  // Ctrl-C and Ctrl-D close the question: the terminal sends no signal while it asks.
  lines.once('close', () => closed.abort())
  try {
    const either = AbortSignal.any([signal, closed.signal])
    const answer = await lines.question(terminalText(text), { signal: either }).catch((error: unknown) => {
      throw new CliError('nothing was changed', exitCodes.interrupted, error)
    })
    if (answer.trim() !== expected) throw new CliError('nothing was changed')
  } finally {
    lines.close()
  }
}
