import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Ends its program when it loses its parent, on any system. It takes a process of some 45 MB. */
const keeper = fileURLToPath(new URL('program-keeper.mjs', import.meta.url))

/** A program that lives no longer than this process. */
export interface TiedProgram {
  /** Settles when the program has ended, by itself or not. */
  readonly ended: Promise<unknown>
  /** Ends the program and waits for it. One that has not ended when `tooLate` aborts, by default after ten seconds, is killed. */
  stop(tooLate?: AbortSignal): Promise<void>
}

/**
 * Starts a program tied to this process; its output goes to a file. A terminal's Ctrl-C does not reach the program, since
 * others use it until they have stopped.
 */
export function startTiedProgram(command: string, args: readonly string[], logFile: string): TiedProgram {
  const log = openSync(logFile, 'a', 0o600)
  const child = tiesByItself() ? tied(command, args, log) : kept(command, args, log)
  closeSync(log)
  const ended = once(child, 'exit').then(() => undefined)
  return {
    ended,
    async stop(tooLate = AbortSignal.timeout(stopMs)) {
      // The keeper kills its program itself.
      if (child.connected) {
        child.disconnect()
        await ended
        return
      }
      child.kill()
      const kill = () => child.kill('SIGKILL')
      if (tooLate.aborted) kill()
      else tooLate.addEventListener('abort', kill)
      await ended
      tooLate.removeEventListener('abort', kill)
    },
  }
}

/** Far longer than a store takes to end. */
const stopMs = 10_000

/** Linux ends a program with its parent where it is asked to, which takes no process. */
const linuxTie = ['setpriv', '--pdeathsig', 'TERM'] as const

function tiesByItself(): boolean {
  const [command, ...options] = linuxTie
  return process.platform === 'linux' && spawnSync(command, [...options, 'true']).status === 0
}

function tied(command: string, args: readonly string[], log: number): ChildProcess {
  const [tie, ...options] = linuxTie
  return spawn(tie, [...options, command, ...args], { stdio: ['ignore', log, log], detached: true })
}

function kept(command: string, args: readonly string[], log: number): ChildProcess {
  // The keeper has nothing to collect: its heap stays as small as it begins.
  const execArgv = ['--max-semi-space-size=1']
  return fork(keeper, [command, ...args], { stdio: ['ignore', log, log, 'ipc'], detached: true, execArgv })
}
