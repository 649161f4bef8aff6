import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from '../failure/exit.ts'
import type { Output } from '../output/output.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** The program of `npm run engine:check`. It speaks the protocol of engines, which this one does not. */
const program = join(import.meta.dirname, '../../local/check-engine.ts')

/** The end of a check by the exit code of the program. */
const ends = ['clean', 'findings', 'misused', 'unreachable'] as const

/** The end of a check, and what the program wrote to standard error, on one line. */
export interface CheckEnd {
  readonly status: (typeof ends)[number] | 'failed'
  readonly problem: string
}

/**
 * Checks the engines of the environment, and writes the findings as they come: text, or an array of engines as JSON.
 * `account` replaces ENGINE_ACCOUNT. Throws where the program is missing, which is outside a checkout.
 */
export async function runEngineCheck(
  { env, signal }: Pick<Terminal, 'env' | 'signal'>,
  out: Output,
  account: string | undefined,
): Promise<CheckEnd> {
  if (!existsSync(program)) throw new CliError('engine check works in a checkout of Callplane: run it there')
  const child = spawn(process.execPath, [program, ...(out.isJson ? ['--json'] : [])], {
    env: { ...env, ...(account === undefined ? {} : { ENGINE_ACCOUNT: account }) },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  })
  let problem = ''
  let hasFindings = false
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    hasFindings = true
    out.raw(text)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    problem += text
  })
  const [code] = await once(child, 'close')
  const problems = problem.split('\n').filter((line) => line !== '')
  const status = ends[Number(code ?? ends.length)] ?? 'failed'
  return {
    // A program that fails also ends with 1, and has printed no finding.
    status: status === 'findings' && !hasFindings ? 'failed' : status,
    problem: problems.join('; ') || 'the check ended early',
  }
}
