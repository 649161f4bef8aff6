import { expect, test } from 'vitest'
import { memoryDisk } from '../../support/connector/memory-disk.ts'
import { anEvent } from '../../support/records/records.ts'
import { numbered, spoolingProcess } from '../../support/connector/spooling-process.ts'

test('a line that a kill cut off is ignored and not reported as dropped, since the event was never completely on disk', async () => {
  const killed = spoolingProcess('1')
  killed.add('a0', 'a1', 'a2')
  await killed.time.advance(1_000)
  const [[path, bytes] = ['', Buffer.alloc(0)]] = killed.disk.contents
  killed.disk.contents.set(path, bytes.subarray(0, -5))

  const next = spoolingProcess('2', { disk: killed.disk })
  next.back()
  next.add('b1')
  await next.time.advance(5_000)

  expect(next.ids().toSorted()).toEqual(['a0', 'a1', 'b1'])
  expect([next.buffer.spool.damaged, next.buffer.waiting, next.drops]).toEqual([0, 0, []])
  expect(next.disk.contents.size).toBe(0)
})

test('a process that is killed at any 97th byte of a write leaves exactly the first part of it, whatever the event classes', async () => {
  const killed = spoolingProcess('1')
  const names = ['CHANNEL_STATE', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_STATE', 'CHANNEL_DESTROY', 'CHANNEL_STATE']
  for (const [index, name] of names.entries()) killed.buffer.tell(anEvent({ id: `a${index}`, uuid: 'a', name }))
  await killed.time.advance(1_000)
  const [[path, bytes] = ['', Buffer.alloc(0)], ...others] = killed.disk.contents
  expect([killed.disk.writes, others]).toEqual([1, []])

  for (let length = 0; length <= bytes.length; length += 97) {
    const disk = memoryDisk()
    disk.contents.set(path, bytes.subarray(0, length))
    const next = spoolingProcess('2', { disk })
    next.back()
    await next.time.advance(1_000)

    const whole = bytes.subarray(0, length).toString().split('\n').length - 1
    expect([length, next.ids()]).toEqual([length, numbered('a', whole)])
  }
})

test('a damaged line is skipped and counted', async () => {
  const killed = spoolingProcess('1')
  killed.add('a0', 'a1', 'a2')
  await killed.time.advance(1_000)
  const [[path, bytes] = ['', Buffer.alloc(0)]] = killed.disk.contents
  const damaged = Buffer.from(bytes)
  damaged.write('CHANNEL_CREATF', bytes.indexOf('CHANNEL_CREATE', bytes.indexOf('"a1"')))
  killed.disk.contents.set(path, damaged)

  const next = spoolingProcess('2', { disk: killed.disk })
  next.back()
  await next.time.advance(1_000)

  expect(next.ids()).toEqual(['a0', 'a2'])
  expect([next.buffer.spool.damaged, next.buffer.waiting]).toEqual([1, 0])
})
