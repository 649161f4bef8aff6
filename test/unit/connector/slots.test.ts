import { expect, test } from 'vitest'
import { slots } from '../../../connector/commands/slots.ts'
import { manualTime, settle } from '../../support/manual-time.ts'

function places(count: number, queue = 10) {
  const time = manualTime()
  const deadline = time.clock.now() + 1_000
  return { time, deadline, slots: slots({ ...time, places: count, queue }) }
}

test('a place is given at once while there is one', async () => {
  const { slots, deadline } = places(2)

  expect(await slots.take(deadline)).toBeTypeOf('function')
  expect(await slots.take(deadline)).toBeTypeOf('function')
  expect([slots.taken, slots.waiting]).toEqual([2, 0])
})

test('a place that is given back goes to who waited longest', async () => {
  const { slots, deadline } = places(1)
  const giveBack = await slots.take(deadline)
  const order: string[] = []
  void slots.take(deadline).then(() => order.push('first'))
  void slots.take(deadline).then(() => order.push('second'))

  giveBack?.()
  await settle()

  expect(order).toEqual(['first'])
  expect([slots.taken, slots.waiting]).toEqual([1, 1])
})

test('giving a place back twice gives it once', async () => {
  const { slots, deadline } = places(1)
  const giveBack = await slots.take(deadline)

  giveBack?.()
  giveBack?.()

  expect(slots.taken).toBe(0)
})

test('who waits until the deadline gets none, and leaves the queue', async () => {
  const { slots, deadline, time } = places(1)
  await slots.take(deadline)
  const waiting = slots.take(deadline)

  await time.advance(1_000)

  expect(await waiting).toBeUndefined()
  expect(slots.waiting).toBe(0)
})

test('who would be one too many in the queue gets none at once', async () => {
  const { slots, deadline } = places(1, 1)
  await slots.take(deadline)
  void slots.take(deadline)

  expect(await slots.take(deadline)).toBeUndefined()
})
