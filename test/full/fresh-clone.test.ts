import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../packages/laptop/processes/free-port.ts'
import { type RunningCommand, runCommand, startCommand } from '../support/platform/command.ts'

const repository = process.cwd()
let folder: string
let clone: string
let env: NodeJS.ProcessEnv

/** The environment of a fresh clone: none of this checkout's tools in the path, and ports of its own. */
async function newcomer(): Promise<NodeJS.ProcessEnv> {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((part) => !part.includes('node_modules'))
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_') && !name.startsWith('VITEST'))
  return {
    ...Object.fromEntries(kept),
    PATH: path.join(delimiter),
    NODE_ENV: 'development',
    XDG_CONFIG_HOME: join(folder, 'config'),
    PORT: String(await freePort()),
    ENGINE_PORT: String(await freePort()),
  }
}

/** Lists the processes whose working directory is the clone: those that the platform failed to end. */
function processesInClone(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(clone)
      } catch {
        return false
      }
    })
}

async function stop(platform: RunningCommand) {
  platform.interrupt()
  return platform.ended()
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callplane-clone-'))
  clone = join(folder, 'callplane')
  env = await newcomer()
  const { status, output } = await runCommand('git', ['clone', '--quiet', '--local', repository, clone], {
    cwd: folder,
    env,
  })
  if (status !== 0) throw new Error(output)
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe('a fresh clone', () => {
  it('a fresh clone installs what is missing, starts, runs the demo and stops without leaving anything', async () => {
    const platform = startCommand('npm', ['start'], { cwd: clone, env })
    await platform.printed(/stop +Ctrl-C/)

    const demo = await runCommand('npm', ['run', 'demo'], { cwd: clone, env })
    const ended = await stop(platform)

    expect(demo.output).toContain('all steps done')
    expect(demo.status).toBe(0)
    expect(ended.output).toContain('1000@demo.example.com')
    expect(processesInClone()).toEqual([])
    expect(readdirSync(join(clone, '.data')).filter((name) => name.includes('lock'))).toEqual([])
  })

  it('a fresh clone finds its data again at the second start', async () => {
    const passwords = readFileSync(join(clone, '.data', 'demo-accounts.json'), 'utf8')
    const platform = startCommand('npm', ['start'], { cwd: clone, env })
    await platform.printed(/stop +Ctrl-C/)

    const demo = await runCommand('npm', ['run', 'demo'], { cwd: clone, env })
    await stop(platform)

    expect(demo.status).toBe(0)
    expect(readFileSync(join(clone, '.data', 'demo-accounts.json'), 'utf8')).toBe(passwords)
  })

  it('a fresh clone needs only the files that git tracks', () => {
    expect(existsSync(join(clone, 'node_modules', '.bin', 'node'))).toBe(true)
  })
})
