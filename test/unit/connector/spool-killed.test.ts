import { expect, test } from 'vitest'
import { anEvent } from '../../support/records.ts'
import { numbered, spoolingProcess } from '../../support/spooling-process.ts'

test('the half of a line that a kill cut off is no event: it was never on disk, so nothing is reported as dropped', async () => {
  const killed = spoolingProcess('1')
  killed.add('a0', 'a1', 'a2')
  await killed.time.advance(1_000)
  const [[path, bytes] = ['', Buffer.alloc(0)]] = killed.disk.contents
  killed.disk.contents.set(path, bytes.subarray(0, -5))

  const next = spoolingProcess('2', { disk: killed.disk })
  next.back()
  next.add('b1')
  await next.time.advance(5_000)

  expect(next.ids()).toEqual(['a0', 'a1', 'b1'])
  expect([next.outbox.spool.damaged, next.outbox.waiting, next.drops]).toEqual([0, 0, []])
  expect(next.disk.contents.size).toBe(0)
})

test.each([1, 2, 3, 4])(
  'what a process leaves that is killed after %i writes of a batch has no hole, whatever the classes of its events',
  async (writes) => {
    const killed = spoolingProcess('1')
    const names = ['CHANNEL_STATE', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_STATE', 'CHANNEL_DESTROY', 'CHANNEL_STATE']
    for (const [index, name] of names.entries()) killed.outbox.add(anEvent({ id: `a${index}`, uuid: 'a', name }))
    killed.disk.beforeWrite = () => (killed.disk.writes < writes ? Promise.resolve() : new Promise(() => {}))
    await killed.time.advance(1_000)

    const next = spoolingProcess('2', { disk: killed.disk })
    next.disk.beforeWrite = async () => {}
    next.back()
    await next.time.advance(1_000)

    expect(next.ids()).toEqual(numbered('a', writes))
  },
)

test('skips and counts a line that was damaged, and makes nothing up', async () => {
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
  expect([next.outbox.spool.damaged, next.outbox.waiting]).toEqual([1, 0])
})
