import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { processIdentity } from '../../../adapters/system/process-identity.ts'
import { takeLock } from '../../../local/data/lock.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'))
  path = join(folder, '0000000001.lock')
})

afterEach(() => rmSync(folder, { recursive: true }))

/** The id of a process that has ended. */
async function aDeadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  return child.pid ?? 0
}

/** The owners of the locks in the folder. */
const owners = () => readdirSync(folder).map((name) => readlinkSync(join(folder, name)))

it('a lock file exists while the lock is held, and nothing remains when it is released', async () => {
  const lock = await takeLock(folder)
  const held = owners()
  await lock.release()

  expect(held).toEqual([processIdentity(process.pid)])
  expect(readdirSync(folder)).toEqual([])
})

it('a held lock is refused in a sentence that names its holder, and stays', async () => {
  await takeLock(folder)

  await expect(takeLock(folder)).rejects.toThrow(`another npm start (process ${process.pid}) uses this DATA_DIR`)
  expect(readdirSync(folder)).toEqual(['0000000001.lock'])
})

it('a lock of a process that was killed is taken over', async () => {
  symlinkSync(`${await aDeadProcess()}-12345-boot`, path)

  await takeLock(folder)

  expect(owners()).toEqual([processIdentity(process.pid)])
})

it.runIf(process.platform === 'linux')(
  'a lock of a killed process whose id is in use again is taken over',
  async () => {
    symlinkSync(`${process.ppid}-1-boot`, path)

    await takeLock(folder)

    expect(owners()).toEqual([processIdentity(process.pid)])
  },
)

it.runIf(process.platform === 'linux')(
  'a lock of a killed process is taken over, also while its parent has not asked for its exit status',
  async () => {
    // The shell becomes a program that never asks how its child ended; only then may the child end, when its input
    // does.
    const parent = spawn('sh', ['-c', 'exec 3<&0; cat <&3 & echo $!; exec sleep 60 3<&- </dev/null'])
    const [printed] = await once(parent.stdout, 'data')
    const zombie = Number(String(printed))
    await vi.waitFor(() => expect(readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n'))
    parent.stdin.end()
    const stateAndStart = () => readFileSync(`/proc/${zombie}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    await vi.waitFor(() => expect(stateAndStart()[0]).toBe('Z'))
    const boot = processIdentity(process.pid)?.split('-')[2]
    symlinkSync(`${zombie}-${stateAndStart()[19]}-${boot}`, path)

    await takeLock(folder)
    parent.kill('SIGKILL')

    expect(owners()).toEqual([processIdentity(process.pid)])
  },
)

it('a lock that another process took over is not released', async () => {
  const lock = await takeLock(folder)
  unlinkSync(path)
  symlinkSync('1-1', path)

  await lock.release()

  expect(owners()).toEqual(['1-1'])
})
