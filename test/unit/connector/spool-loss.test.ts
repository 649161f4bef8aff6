import { expect, test } from 'vitest'
import { sizeOf } from '../../../connector/spool/waiting-events.ts'
import { anEvent } from '../../support/records.ts'
import { type SpoolingProcess, numbered, spoolingProcess } from '../../support/spooling-process.ts'

const large = (id: string) => anEvent({ id, uuid: 'a', name: 'CHANNEL_HOLD', fields: { Filler: 'x'.repeat(2_000) } })

/** The ways in which a process ends. */
const ends = [
  { how: 'is killed', end: async () => {} },
  { how: 'stops', end: async ({ outbox }: SpoolingProcess) => expect(await outbox.close()).toBe(0) },
]

test.each(ends)('a full disk gives up no event that is in memory as well; its process $how', async ({ end }) => {
  const size = sizeOf(large('a0'))
  const one = spoolingProcess('1', { memory: { window: 8 * size, all: 40 * size }, bytes: 128 * 1024 })
  await one.time.advance(0)
  for (let count = 0; count < 100; count += 1) {
    one.outbox.add(large(`a${count}`))
    if (count % 3 === 2) await one.time.advance(300)
  }
  await one.time.advance(2_000)
  expect(one.disk.used()).toBeLessThanOrEqual(128 * 1024)
  expect(one.outbox.spool.bytes).toBe(one.disk.used())
  await end(one)

  const next = spoolingProcess('2', { disk: one.disk })
  next.back()
  await next.time.advance(60_000)

  expect(next.ids().slice(0, 8)).toEqual(numbered('a', 8))
  expect(next.ids().length + one.outbox.counts.dropped).toBe(100)
  expect([next.outbox.spool.damaged, next.disk.contents.size]).toEqual([0, 0])
})
