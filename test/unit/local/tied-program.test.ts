import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { endOf, startTiedProgram } from '../../../packages/laptop/processes/tied-program.ts'

const folder = mkdtempSync(join(tmpdir(), 'tied-program-'))
const log = join(folder, 'log')
afterEach(() => rmSync(log, { force: true }))

/** A program that says its process id and goes on until it is ended. */
const program = 'console.log(process.pid); setInterval(() => {}, 1000)'

/** A process that starts the program, tied to itself, with a path of commands. */
function aParent(path: string) {
  const module = new URL('../../../packages/laptop/processes/tied-program.ts', import.meta.url)
  const start = `import { endOf, startTiedProgram } from ${JSON.stringify(module.href)}
    const program = startTiedProgram(process.execPath, ['-e', ${JSON.stringify(program)}], ${JSON.stringify(log)})
    process.once('SIGUSR2', () => void program.stop().then(() => process.exit()))
    setInterval(() => {}, 1000)`
  return spawn(process.execPath, ['--input-type=module', '-e', start], { env: { PATH: path }, stdio: 'ignore' })
}

async function startedProgram(): Promise<number> {
  const read = () => {
    try {
      return Number(readFileSync(log, 'utf8').trim())
    } catch {
      return 0
    }
  }
  await expect.poll(read, { timeout: 20_000, interval: 50 }).toBeGreaterThan(0)
  return read()
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const within = { timeout: 20_000, interval: 50 }

it.each([
  ['by the system, where it can', process.env['PATH'] ?? ''],
  ['by a process of ours, where the system has no command for it', '/nowhere'],
])('a program is tied to its parent %s: it ends when the parent is killed, or stops it', async (_how, path) => {
  const killed = aParent(path)
  const first = await startedProgram()
  killed.kill('SIGKILL')
  await expect.poll(() => isRunning(first), within).toBe(false)

  rmSync(log)
  const stopping = aParent(path)
  const second = await startedProgram()
  stopping.kill('SIGUSR2')
  await once(stopping, 'exit')
  expect(isRunning(second)).toBe(false)
})

it.runIf(process.platform === 'linux')(
  'a program that ignores the signal to end is killed when its time is over',
  async () => {
    const deaf = "process.on('SIGTERM', () => {}); console.log(process.pid); setInterval(() => {}, 1000)"
    const started = startTiedProgram(process.execPath, ['-e', deaf], log)
    const pid = await startedProgram()

    await started.stop(AbortSignal.abort())

    expect(isRunning(pid)).toBe(false)
  },
)

it('a program that cannot be started has ended, with the reason', async () => {
  await expect(endOf(spawn('/nowhere/program'))).resolves.toBe('spawn /nowhere/program ENOENT')
  await expect(endOf(spawn(process.execPath, ['-e', 'process.exit(3)']))).resolves.toBe('code 3')
})
