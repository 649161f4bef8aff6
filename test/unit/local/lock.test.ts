import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { processIdentity } from '../../../adapters/system/process-identity.ts'
import { takeLock } from '../../../local/data/lock.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'))
  path = join(folder, 'lock')
})

afterEach(() => rmSync(folder, { recursive: true }))

/** The id of a process that has ended. */
async function aDeadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  return child.pid ?? 0
}

it('a lock is there while it is held, and nothing is left when it is released', () => {
  const lock = takeLock(path)
  const held = readFileSync(path, 'utf8')
  lock.release()

  expect(held.split('-')[0]).toBe(String(process.pid))
  expect(readdirSync(folder)).toEqual([])
})

it('a held lock is refused in a sentence that names its holder, and stays', () => {
  takeLock(path)

  expect(() => takeLock(path)).toThrow(`another npm start (process ${process.pid}) uses this DATA_DIR`)
  expect(readdirSync(folder)).toEqual(['lock'])
})

it('a lock of a process that was killed is taken over', async () => {
  writeFileSync(path, `${await aDeadProcess()}-12345-boot`)

  takeLock(path)

  expect(readFileSync(path, 'utf8').split('-')[0]).toBe(String(process.pid))
})

it.runIf(process.platform === 'linux')('a lock of a killed process whose id is in use again is taken over', () => {
  writeFileSync(path, `${process.ppid}-1-boot`)

  takeLock(path)

  expect(readFileSync(path, 'utf8').split('-')[0]).toBe(String(process.pid))
})

it.runIf(process.platform === 'linux')(
  'a lock of a killed process is taken over, also while its parent has not asked for its exit status',
  async () => {
    // The shell becomes a program that never asks how its child ended.
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'])
    const [printed] = await once(parent.stdout, 'data')
    const zombie = Number(String(printed))
    const stateAndStart = () => readFileSync(`/proc/${zombie}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    await vi.waitFor(() => expect(stateAndStart()[0]).toBe('Z'))
    const boot = processIdentity(process.pid)?.split('-')[2]
    writeFileSync(path, `${zombie}-${stateAndStart()[19]}-${boot}`)

    takeLock(path)
    parent.kill('SIGKILL')

    expect(readFileSync(path, 'utf8').split('-')[0]).toBe(String(process.pid))
  },
)

it('a lock file that says nothing is taken over', () => {
  writeFileSync(path, '')

  takeLock(path).release()

  expect(existsSync(path)).toBe(false)
})

it('a lock that another process took over is not released', () => {
  const lock = takeLock(path)
  writeFileSync(path, '1 1')

  lock.release()

  expect(readFileSync(path, 'utf8')).toBe('1 1')
})
