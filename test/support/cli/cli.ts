/** The command line as a user runs it: a process of its own, with a home folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How a command ended and what it printed. */
export interface CliResult {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A command that is running. */
export interface RunningCli {
  readonly child: ChildProcess
  /** Resolves when standard output has this text; rejects when the command ends without it. */
  printed(text: string | RegExp): Promise<void>
  ended(): Promise<CliResult>
}

/** A user of the command line. */
export interface CliUser {
  /** The folder of the user's settings, as `XDG_CONFIG_HOME`. */
  readonly folder: string
  /** Runs a command to its end, without a terminal; `input` is its standard input. */
  run(words: readonly string[], options?: CliOptions): Promise<CliResult>
  /** Runs a command with `--json` and returns what it printed. Throws where it failed. */
  json(words: readonly string[]): Promise<unknown>
  start(words: readonly string[], options?: CliOptions): RunningCli
  /** Signs in with `callplane login`. Throws what the command printed if it fails. */
  signIn(login: Login): Promise<void>
  remove(): void
}

/** The address of a platform, and a user of it. */
interface Login {
  readonly url: string
  readonly user: string
  readonly password: string
}

interface CliOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

const program = join(import.meta.dirname, '../../../cli/callplane.mjs')

/** Returns a user who is not signed in anywhere. */
export function aCliUser(): CliUser {
  const folder = mkdtempSync(join(tmpdir(), 'callplane-cli-'))
  const start = (words: readonly string[], { input = '', env = {} }: CliOptions = {}): RunningCli =>
    running(words, input, { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_CONFIG_HOME: folder, ...env })
  const run = (words: readonly string[], options?: CliOptions) => start(words, options).ended()
  return {
    folder,
    start,
    run,
    json: async (words) => {
      const { status, stdout, stderr } = await run([...words, '--json'])
      if (status !== 0) throw new Error(`callplane ${words.join(' ')} ended with ${status}: ${stderr}`)
      return JSON.parse(stdout)
    },
    signIn: async ({ url, user, password }) => {
      const { status, stderr } = await run(['login', '--url', url, '--user', user, '--password-stdin'], {
        input: password,
      })
      if (status !== 0) throw new Error(stderr)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function running(words: readonly string[], input: string, env: NodeJS.ProcessEnv): RunningCli {
  const child = spawn(process.execPath, [program, ...words], { env })
  let [stdout, stderr, isOver] = ['', '', false]
  const news = new EventTarget()
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    news.dispatchEvent(new Event('output'))
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  // A command that reads no input may have ended before it is written.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const end = once(child, 'close').then(([status]): CliResult => {
    isOver = true
    return { status: typeof status === 'number' ? status : null, stdout, stderr }
  })
  return {
    child,
    ended: () => end,
    printed: async (text) => {
      for (;;) {
        if (typeof text === 'string' ? stdout.includes(text) : text.test(stdout)) return
        if (isOver) throw new Error(`callplane ${words.join(' ')} ended without printing ${text}:\n${stdout}${stderr}`)
        await Promise.race([once(news, 'output'), end])
      }
    },
  }
}
