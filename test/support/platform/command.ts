import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** How a command ended and what it printed. */
export interface CommandResult {
  readonly status: number | null
  readonly output: string
}

/** A running command whose output can be awaited. */
export interface RunningCommand {
  readonly child: ChildProcess
  /** Everything printed so far, standard output and error together. */
  output(): string
  /** Resolves with the first match in the output; rejects when the command ends without it. */
  printed(pattern: RegExp): Promise<RegExpMatchArray>
  ended(): Promise<CommandResult>
  /** Interrupts the command and every process that it started, as Ctrl-C at a terminal does. */
  interrupt(): void
}

/** Starts a command without a shell and without standard input, as a process group of its own. */
export function startCommand(
  command: string,
  args: readonly string[],
  { cwd, env = process.env }: { cwd: string; env?: NodeJS.ProcessEnv },
): RunningCommand {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let text = ''
  const news = new EventTarget()
  const add = (chunk: Buffer) => {
    text += chunk.toString()
    news.dispatchEvent(new Event('output'))
  }
  child.stdout.on('data', add)
  child.stderr.on('data', add)
  const end = once(child, 'close').then(([status]): CommandResult => {
    news.dispatchEvent(new Event('output'))
    return { status: typeof status === 'number' ? status : null, output: text }
  })
  let isOver = false
  const over = end.finally(() => {
    isOver = true
  })
  return {
    child,
    output: () => text,
    ended: () => end,
    interrupt: () => {
      if (child.pid !== undefined && !isOver) process.kill(-child.pid, 'SIGINT')
    },
    async printed(pattern) {
      for (;;) {
        const match = text.match(pattern)
        if (match !== null) return match
        if (isOver) throw new Error(`${command} ${args.join(' ')} ended without printing ${pattern}:\n${text}`)
        await Promise.race([once(news, 'output'), over])
      }
    },
  }
}

/** Runs a command to its end. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<CommandResult> {
  return startCommand(command, args, options).ended()
}
