import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { putAside } from './log-file.ts'
import type { Run } from './supervised.ts'

/** Ends its program when it loses its parent, on any system. It takes a process of some 45 MB. */
const keeper = fileURLToPath(new URL('program-keeper.mjs', import.meta.url))

/** A program that lives no longer than this process. */
export interface TiedProgram extends Run {
  /** Ends the program and waits for it. Kills it when `tooLate` aborts, by default after ten seconds. */
  stop(tooLate?: AbortSignal): Promise<void>
}

/** What a program gets in addition to its words. */
export interface ProgramInput {
  /** This process's own unless given. */
  readonly env?: NodeJS.ProcessEnv
  /** The whole of its standard input. */
  readonly input?: string
}

/**
 * Starts a program tied to this process; its output goes to a file. A terminal's Ctrl-C does not reach the program,
 * since others use it until they have stopped.
 */
export function startTiedProgram(
  command: string,
  args: readonly string[],
  logFile: string,
  { env = process.env, input }: ProgramInput = {},
): TiedProgram {
  putAside(logFile)
  const log = openSync(logFile, 'a', 0o600)
  const start = tiesByItself() ? tied : kept
  const child = start([command, ...args], { env, detached: true }, [input === undefined ? 'ignore' : 'pipe', log, log])
  closeSync(log)
  // A program that has ended already takes no input.
  child.stdin?.on('error', () => {}).end(input)
  const ended = endOf(child)
  return {
    ended,
    signal: (name) => signalGroup(child, name),
    async stop(tooLate = AbortSignal.timeout(stopMs)) {
      // The keeper kills its program itself.
      if (child.connected) {
        child.disconnect()
        await ended
        return
      }
      signalGroup(child, 'SIGTERM')
      const kill = () => signalGroup(child, 'SIGKILL')
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

type Stdio = readonly ['ignore' | 'pipe', number, number]

interface HowToStart {
  readonly env: NodeJS.ProcessEnv
  readonly detached: boolean
}

function tied(words: readonly string[], how: HowToStart, stdio: Stdio): ChildProcess {
  const [tie, ...options] = linuxTie
  return spawn(tie, [...options, ...words], { ...how, stdio: [...stdio] })
}

function kept(words: readonly string[], how: HowToStart, stdio: Stdio): ChildProcess {
  // The keeper has nothing to collect: its heap stays as small as it begins.
  return fork(keeper, [...words], { ...how, stdio: [...stdio, 'ipc'], execArgv: ['--max-semi-space-size=1'] })
}

/** Settles with how a child ended. One that could not be started has no exit. */
export function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
    child.on('error', (error) => child.pid === undefined && resolve(error.message))
  })
}

/** Sends a signal to a program that was started as a group, and to those that it has started. */
export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // It has ended, or the system has no such signal.
  }
}
