import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockFolder } from '../../../adapters/system/folder-lock.ts'
import { processOwner, systemSpoolFiles } from '../../../connector/buffer/spool-files.ts'
import { memoryDisk } from '../../support/connector/memory-disk.ts'
import { numbered, spoolingProcess } from '../../support/connector/spooling-process.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callplane-lock-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** Starts a process, and returns it with the name that it would give a lock. */
async function anotherProcess() {
  const module = new URL('../../../connector/buffer/spool-files.ts', import.meta.url).href
  const script = `console.log((await import('${module}')).processOwner().name); process.stdin.resume()`
  const other = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'ignore'] })
  const [printed] = await once(other.stdout, 'data')
  return { other, name: String(printed).trim() }
}

test('a folder belongs to its process until that is killed, and then to the next one', async () => {
  const { other, name } = await anotherProcess()
  symlinkSync(name, join(folder, '0000000007.lock'))
  await expect(lockFolder(folder, systemSpoolFiles, processOwner())).rejects.toMatchObject({ code: 'EBUSY' })

  other.kill('SIGKILL')
  await once(other, 'exit')

  expect(await lockFolder(folder, systemSpoolFiles, processOwner())).toMatchObject({ generation: 8, former: name })
  expect(readdirSync(folder)).toEqual(['0000000008.lock'])
})

test.runIf(process.platform === 'linux').each([
  ['of another start of the machine', `${process.ppid}-0-00000000`],
  ['of an earlier process with the id of one that runs now', processOwner().name.replace(/^\d+/, `${process.ppid}`)],
  ['of an earlier process with the id of this one, as the first one of a container has', `${process.pid}-0-00000000`],
  ['of this process itself, as a container that was started again on the same machine has', processOwner().name],
  ['that names no process', 'readme'],
])('a lock %s is taken over', async (_which, former) => {
  symlinkSync(former, join(folder, '0000000001.lock'))

  expect(await lockFolder(folder, systemSpoolFiles, processOwner())).toMatchObject({ generation: 2, former })
})

test('one of many processes that find a stale lock at once gets the folder of the spool', async () => {
  symlinkSync('1-0-00000000', join(folder, '0000000001.lock'))
  const owners = Array.from({ length: 20 }, (_, index) => ({
    name: `${index}`,
    isAlive: (name: string) => name.length < 3,
  }))

  const taken = await Promise.allSettled(owners.map((owner) => lockFolder(folder, systemSpoolFiles, owner)))

  expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(readdirSync(folder)).toEqual(['0000000002.lock'])
})

test('files of the next process sort after those of a killed one, also where its lock was removed by hand', async () => {
  const killed = spoolingProcess('1')
  killed.add(...numbered('a', 3))
  await killed.time.advance(1_000)
  await killed.disk.remove('/spool/0000000001.lock')
  const second = spoolingProcess('2', { disk: killed.disk })
  second.add('a3', ...numbered('b', 3))
  await second.time.advance(1_000)

  const third = spoolingProcess('3', { disk: killed.disk })
  third.back()
  await third.time.advance(5_000)

  for (const call of ['a', 'b']) {
    expect(third.ids().filter((id) => id.startsWith(call))).toEqual(numbered(call, call === 'a' ? 4 : 3))
  }
})

test('a process that finds its folder in use reports it, and uses the folder when it is free', async () => {
  const disk = memoryDisk()
  const alive = new Set(['1', '2'])
  const first = spoolingProcess('1', { disk, alive })
  first.add('a0')
  await first.time.advance(1_000)
  const second = spoolingProcess('2', { disk, alive })
  second.add('b0')
  await second.time.advance(10_000)
  expect([second.buffer.spool.bytes, second.buffer.spool.skipped]).toEqual([0, 1])
  expect(second.log.lines.map(({ message }) => message)).toContain(
    'the spool folder cannot be locked: events wait in memory only; it will be tried again',
  )

  alive.delete('1')
  await second.time.advance(10_000)
  second.back()
  await second.time.advance(10_000)

  expect(second.ids()).toEqual(['b0', 'a0'])
})

test('a process whose folder is in use does not wait for the folder when it stops', async () => {
  const alive = new Set(['1', '2'])
  const first = spoolingProcess('1', { alive })
  await first.time.advance(1_000)
  const second = spoolingProcess('2', { disk: first.disk, alive })
  second.back()
  second.add('b0')
  let isDrained = false
  void second.buffer.drained().then(() => (isDrained = true))

  await second.time.advance(6_000)

  expect([isDrained, second.ids()]).toEqual([true, ['b0']])
})

test('a lock with events names the process that left them to the next one, and without events the lock is removed', async () => {
  const left = spoolingProcess('1')
  left.add('a0')
  await left.buffer.close()
  expect(await left.disk.list('/spool')).toHaveLength(2)

  const next = spoolingProcess('2', { disk: left.disk })
  next.back()
  await next.time.advance(1_000)
  await next.buffer.close()

  expect(next.taken).toEqual(['1'])
  expect(await left.disk.list('/spool')).toEqual([])
})

test('a process whose lock was removed by hand stops writing to the folder once another process has it', async () => {
  const alive = new Set(['1', '2'])
  const first = spoolingProcess('1', { alive })
  first.add('a0')
  await first.time.advance(1_000)
  const { disk } = first
  disk.isReadOnly = true
  first.add('a1')
  await first.time.advance(1_000)
  disk.isReadOnly = false
  for (const name of await disk.list('/spool')) await disk.remove(`/spool/${name}`)
  const second = spoolingProcess('2', { disk, alive })
  second.add('b0')
  await second.time.advance(1_000)
  const ofSecond = [...disk.contents].map(([path, bytes]) => [path, String(bytes)])

  first.add('a2')
  await first.time.advance(10_000)

  expect([...disk.contents].map(([path, bytes]) => [path, String(bytes)])).toEqual(ofSecond)
  expect(first.log.lines.map(({ message }) => message)).toContain(
    'the spool cannot be written: events wait in memory only',
  )
})
