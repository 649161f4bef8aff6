import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { memoryEventSink } from '../../support/memory/memory-event-sink.ts'
import { eventOutbox } from '../../../connector/events/event-outbox.ts'
import { showLifeSign } from '../../../connector/spool/life-sign.ts'
import { systemSpoolFiles } from '../../../connector/spool/spool-files.ts'
import { type SpoolOwner, processOwner } from '../../../connector/spool/spool-owner.ts'
import { capturedLog } from '../../support/captured-log.ts'
import { manualTime, settle } from '../../support/manual-time.ts'
import { anEvent } from '../../support/records.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callplane-shared-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** The name of a process of another container on this machine, with the process id that this one has. */
const elsewhere = () => processOwner().name.replace(/-\d+$/, '-1')

/** A process of another container. */
const otherOwner = (name = elsewhere()): SpoolOwner => ({
  name,
  isAlive: () => false,
  show: (place) => showLifeSign(join(place, `${name}.sock`)),
})

/** A connector's events over the shared folder; the queue takes them, or is away. */
function aProcess(owner: SpoolOwner, { place = folder, isAway = false } = {}) {
  const time = manualTime()
  const sink = memoryEventSink()
  const log = capturedLog()
  const outbox = eventOutbox({
    ...time,
    log,
    random: () => 0,
    sink: { publish: (events) => (isAway ? Promise.reject(new Error('gone')) : sink.publish(events)) },
    place: { folder: place, bytes: 1e6, files: systemSpoolFiles, owner },
  })
  return { time, sink, log, outbox }
}

async function written({ time, outbox }: ReturnType<typeof aProcess>) {
  while (outbox.spool.bytes === 0) await time.advance(250)
}

test.runIf(process.platform === 'linux')('a process shows that it runs until it is killed', async () => {
  const module = new URL('../../../connector/spool/life-sign.ts', import.meta.url).href
  const path = join(folder, `${elsewhere()}.sock`)
  const script = `await (await import('${module}')).showLifeSign('${path}'); console.log('shown'); process.stdin.resume()`
  expect(await processOwner().isAlive(elsewhere(), folder)).toBe(false)
  const other = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(other.stdout, 'data')
  expect(await processOwner().isAlive(elsewhere(), folder)).toBe(true)

  other.kill('SIGKILL')
  await once(other, 'exit')

  expect(existsSync(path)).toBe(true)
  expect(await processOwner().isAlive(elsewhere(), folder)).toBe(false)
  const next = aProcess(processOwner())
  await next.outbox.drained()
  await next.outbox.close()
  expect(readdirSync(folder)).toEqual([])
})

test('it holds up no end of a process', async () => {
  const module = new URL('../../../connector/spool/life-sign.ts', import.meta.url).href
  const script = `await (await import('${module}')).showLifeSign('${join(folder, 'sign.sock')}')`
  const other = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })

  expect(await once(other, 'exit')).toEqual([0, null])
})

test.runIf(process.platform === 'linux')(
  'what a process of another container writes is its own while it runs',
  async () => {
    const other = aProcess(otherOwner(), { isAway: true })
    other.outbox.add(anEvent({ id: 'a0', uuid: 'a' }))
    await written(other)

    const beside = aProcess(processOwner())
    beside.outbox.add(anEvent({ id: 'b0', uuid: 'b' }))
    while (beside.sink.published.length === 0) await settle()
    await beside.outbox.drained()
    expect([beside.sink.published.map(({ id }) => id), beside.outbox.spool.found]).toEqual([['b0'], 0])
    await beside.outbox.close()
    await other.outbox.close()

    const after = aProcess(processOwner())
    while (after.sink.published.length === 0) await settle()
    await after.outbox.drained()
    await after.outbox.close()

    expect(after.sink.published.map(({ id }) => id)).toEqual(['a0'])
    expect(readdirSync(folder)).toEqual([])
  },
)

test('a folder whose path is too long for that is told, and used', async () => {
  const process = aProcess(otherOwner(), { place: join(folder, 'x'.repeat(100)), isAway: true })
  process.outbox.add(anEvent())
  await written(process)

  expect(process.log.lines.map(({ message }) => message)).toContain(
    'other containers cannot see that this process uses its spool',
  )
  await process.outbox.close()
})
