import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Who calls, and how often. */
export interface Calling {
  readonly sipPort: number
  readonly domain: string
  readonly logins: readonly string[]
  readonly password: string
  readonly numbers: readonly string[]
  readonly perSecond: number
  readonly seconds: number
}

/** How the calls of a run ended. */
export interface Called {
  readonly answered: number
  /** Refused with 503. */
  readonly refused: number
  /** Ended in any other way. */
  readonly failed: number
  /** From the authenticated INVITE to its 200. */
  readonly setUpMs: readonly number[]
}

/** Whether sipp is installed. */
export function hasSipp(): boolean {
  return spawnSync('sipp', ['-v'], { stdio: 'ignore' }).error === undefined
}

/** Places calls with sipp, which writes its files into `folder`. */
export async function placeCalls(folder: string, calling: Calling): Promise<Called> {
  const { domain, logins, password, numbers, perSecond, seconds } = calling
  const callers = numbers.map((number, index) => {
    const login = logins[index % logins.length]
    return `${login};${domain};[authentication username=${login} password=${password}];${number}`
  })
  writeFileSync(join(folder, 'callers.csv'), ['SEQUENTIAL', ...callers, ''].join('\n'))
  const before = new Set(readdirSync(folder))
  const words = [
    ...['-sf', join(import.meta.dirname, 'caller.xml'), '-inf', 'callers.csv', '-i', '127.0.0.1', '-nostdin'],
    ...['-r', String(perSecond), '-m', String(perSecond * seconds), '-l', '10000', '-timeout', `${seconds + 60}s`],
    ...['-trace_rtt', '-rtt_freq', '1', '-trace_stat', '-fd', '5', `127.0.0.1:${calling.sipPort}`],
  ]
  const sipp = spawn('sipp', words, { cwd: folder, stdio: 'ignore' })
  await once(sipp, 'exit')
  const written = (end: string) => {
    const name = readdirSync(folder).find((each) => !before.has(each) && each.endsWith(end))
    return name === undefined ? [] : readFileSync(join(folder, name), 'utf8').trim().split('\n').map((line) => line.split(';'))
  }
  const stat = written(`${sipp.pid}_.csv`)
  const count = (name: string) => Number(stat.at(-1)?.[stat[0]?.indexOf(name) ?? -1] ?? 0)
  const [answered, refused] = [count('GenericCounter1(C)') || count('answered(C)'), count('busy(C)')]
  const setUpMs = written('_rtt.csv').slice(1).map(([, ms]) => Number(ms))
  return { answered, refused, failed: perSecond * seconds - answered - refused, setUpMs }
}
