import { terminalText } from '../../client/index.ts'
import { CliError, exitCodes } from '../failure/exit.ts'
import type { SecretInput, Terminal } from '../terminal/terminal.ts'

/** The most that a line of standard input may hold, bytes. */
const longest = 4096

/** Asks for a secret on the terminal without showing it. Throws with `wayOut` if standard input is no terminal. */
export async function askSecret(
  terminal: Pick<Terminal, 'stdin' | 'stderr' | 'signal'>,
  question: string,
  wayOut: string,
): Promise<string> {
  const { stdin, stderr, signal } = terminal
  if (stdin.isTTY !== true) throw new CliError(`standard input is no terminal; ${wayOut}`, exitCodes.usage)
  stderr.write(terminalText(question))
  stdin.setRawMode?.(true)
  try {
    return await readRaw(stdin, signal)
  } finally {
    stdin.setRawMode?.(false)
    stdin.pause()
    stderr.write('\n')
  }
}

/** Collects what is typed up to Enter. Ctrl-C and Ctrl-D end it, since the terminal sends no signal in raw mode. */
async function readRaw(stdin: SecretInput, signal: AbortSignal): Promise<string> {
  stdin.setEncoding('utf8')
  let typed: string[] = []
  for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
    signal.throwIfAborted()
    for (const character of String(chunk)) {
      if (character === '\r' || character === '\n') return typed.join('')
      if (character === '\u0003' || character === '\u0004')
        throw new CliError('nothing was entered', exitCodes.interrupted)
      if (character === '\u007f' || character === '\b') typed = typed.slice(0, -1)
      else if (character >= ' ' && typed.length < longest) typed.push(character)
    }
  }
  throw new CliError('standard input ended before anything was entered')
}

/** Reads a secret from the first line of standard input. */
export async function readSecret({ stdin }: Pick<Terminal, 'stdin'>): Promise<string> {
  let text = ''
  stdin.setEncoding('utf8')
  for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    if (text.includes('\n') || text.length > longest) break
  }
  stdin.pause()
  // Editors begin files with a byte order mark, which is no part of the secret.
  const [line = ''] = text.replace(/^\ufeff/, '').split(/\r?\n/, 1)
  if (line === '') throw new CliError('standard input has no password on its first line', exitCodes.usage)
  if (line.includes('\ufffd')) throw new CliError('the first line of standard input is not UTF-8', exitCodes.usage)
  if (line.length > longest) throw new CliError(`a password has at most ${longest} characters`, exitCodes.usage)
  return line
}
