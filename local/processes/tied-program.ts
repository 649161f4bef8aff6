import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, closeSync } from 'node:fs'

/**
 * Runs the program and waits for it; ends it as soon as standard input ends, which it does when this process is gone,
 * however it went. In a shell, since a program from elsewhere cannot be asked to watch its parent.
 */
const script = `exec 3<&0
"$@" </dev/null 3<&- &
program=$!
(cat <&3 >/dev/null; kill "$program") 2>/dev/null &
exec 3<&-
wait "$program"`

/** A program that lives no longer than this process. */
export interface TiedProgram {
  /** Settles when the program has ended, by itself or not. */
  readonly ended: Promise<void>
  /** Ends the program and waits for it. */
  stop(): Promise<void>
}

/**
 * Starts a program tied to this process; its output goes to a file. A terminal's Ctrl-C does not reach the program, since
 * others use it until they have stopped.
 */
export function startTiedProgram(command: string, args: readonly string[], logFile: string): TiedProgram {
  const log = openSync(logFile, 'a', 0o600)
  const child: ChildProcess = spawn('sh', ['-c', script, 'sh', command, ...args], {
    stdio: ['pipe', log, log],
    detached: true,
  })
  closeSync(log)
  const ended = once(child, 'exit').then(() => void child.stdin?.destroy())
  child.stdin?.on('error', () => {})
  return {
    ended,
    async stop() {
      child.stdin?.end()
      await ended
    },
  }
}
