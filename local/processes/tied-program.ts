import { fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const keeper = fileURLToPath(new URL('program-keeper.mjs', import.meta.url))

/** A program that lives no longer than this process. */
export interface TiedProgram {
  /** Settles when the program has ended, by itself or not. */
  readonly ended: Promise<unknown>
  /** Ends the program and waits for it. */
  stop(): Promise<void>
}

/**
 * Starts a program tied to this process; its output goes to a file. A terminal's Ctrl-C does not reach the program, since
 * others use it until they have stopped.
 */
export function startTiedProgram(command: string, args: readonly string[], logFile: string): TiedProgram {
  const log = openSync(logFile, 'a', 0o600)
  // The keeper has nothing to collect: its heap stays as small as it begins.
  const child = fork(keeper, [command, ...args], {
    stdio: ['ignore', log, log, 'ipc'],
    detached: true,
    execArgv: ['--max-semi-space-size=1'],
  })
  closeSync(log)
  const ended = once(child, 'exit').then(() => undefined)
  return {
    ended,
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
