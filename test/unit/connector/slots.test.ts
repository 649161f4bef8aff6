import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { slots } from '../../../connector/commands/command-slots.ts'
import { breadth } from '../../support/breadth.ts'
import { manualTime, settle } from '../../support/processes/manual-time.ts'

function places(count: number, queue = 10) {
  const time = manualTime()
  const deadline = time.clock.now() + 1_000
  return { time, deadline, slots: slots({ ...time, places: count, queue }) }
}

test('a slot is given at once while there is a free one', async () => {
  const { slots, deadline } = places(2)

  expect(await slots.take('a.example.com', deadline)).toBeTypeOf('function')
  expect(await slots.take('a.example.com', deadline)).toBeTypeOf('function')
  expect([slots.taken, slots.waiting]).toEqual([2, 0])
})

test('a released slot goes to the waiter that has waited longest', async () => {
  const { slots, deadline } = places(1)
  const giveBack = await slots.take('a.example.com', deadline)
  const order: string[] = []
  void slots.take('a.example.com', deadline).then(() => order.push('first'))
  void slots.take('a.example.com', deadline).then(() => order.push('second'))

  giveBack?.()
  await settle()

  expect(order).toEqual(['first'])
  expect([slots.taken, slots.waiting]).toEqual([1, 1])
})

test('releasing a slot twice frees it once', async () => {
  const { slots, deadline } = places(1)
  const giveBack = await slots.take('a.example.com', deadline)

  giveBack?.()
  giveBack?.()

  expect(slots.taken).toBe(0)
})

test('a waiter gets no slot at its deadline, and leaves the queue', async () => {
  const { slots, deadline, time } = places(1)
  await slots.take('a.example.com', deadline)
  const waiting = slots.take('a.example.com', deadline)

  await time.advance(1_000)

  expect(await waiting).toBeUndefined()
  expect(slots.waiting).toBe(0)
})

test('a waiter beyond the limit of the queue is refused at once', async () => {
  const { slots, deadline } = places(1, 1)
  await slots.take('a.example.com', deadline)
  void slots.take('a.example.com', deadline)

  expect(await slots.take('a.example.com', deadline)).toBeUndefined()
})

const calls = 100

test('a tenant that wants all slots leaves half of them to others', async () => {
  const { slots, deadline } = places(calls, 200)
  for (let wanted = 0; wanted < calls; wanted += 1) void slots.take('busy.example.com', deadline)
  await settle()

  expect(slots.taken).toBe(51)
  expect(await slots.take('other.example.com', deadline)).toBeTypeOf('function')
})

test('a tenant gets a slot at once next to five busy tenants', async () => {
  const { slots, deadline } = places(calls, 200)
  for (let busy = 0; busy < 5; busy += 1) {
    for (let wanted = 0; wanted < calls; wanted += 1) void slots.take(`busy-${busy}.example.com`, deadline)
  }
  await settle()

  expect(await slots.take('other.example.com', deadline)).toBeTypeOf('function')
})

test('a tenant can wait although another one has more commands than may wait', async () => {
  const { slots, deadline } = places(1, 10)
  await slots.take('busy.example.com', deadline)
  for (let wanted = 0; wanted < 100; wanted += 1) void slots.take('busy.example.com', deadline)

  void slots.take('other.example.com', deadline)

  expect(slots.waiting).toBe(7)
})

test('a released slot goes to the tenant that has the fewest slots', async () => {
  const { slots, deadline } = places(2)
  const [first] = [await slots.take('busy.example.com', deadline), await slots.take('busy.example.com', deadline)]
  const order: string[] = []
  for (const owner of ['busy.example.com', 'other.example.com']) {
    void slots.take(owner, deadline).then(() => order.push(owner))
  }

  first?.()
  await settle()

  expect(order).toEqual(['other.example.com'])
})

test('no slot is lost or given twice, whatever tenants take and release', async () => {
  const owners = ['a', 'b', 'c', 'd']
  const step = fc.oneof(
    fc.record({ kind: fc.constant('take' as const), owner: fc.constantFrom(...owners) }),
    fc.record({ kind: fc.constant('give' as const), which: fc.nat(20) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 60 }), async (count, steps) => {
      const { slots, deadline } = places(count, 5)
      const held: { readonly owner: string; readonly giveBack: () => void }[] = []
      const ask = async (owner: string) => {
        const giveBack = await slots.take(owner, deadline)
        if (giveBack !== undefined) held.push({ owner, giveBack })
      }
      for (const one of steps) {
        if (one.kind === 'give') held.splice(one.which % (held.length || 1), 1)[0]?.giveBack()
        else void ask(one.owner)
        await settle()
        expect(slots.taken).toBe(held.length)
        expect(slots.taken).toBeLessThanOrEqual(count)
        expect(slots.waiting).toBeLessThanOrEqual(5)
      }
      for (let given = held.shift(); given !== undefined; given = held.shift()) {
        given.giveBack()
        await settle()
      }
      expect([slots.taken, slots.waiting]).toEqual([0, 0])
    }),
    { numRuns: breadth(25, 100) },
  )
})

test('no timer of a deadline remains when a slot was given or refused', async () => {
  const { time, deadline } = places(1)
  const open = new Set<object>()
  const timers: typeof time.timers = {
    ...time.timers,
    after: (ms, run) => {
      const timer = {}
      open.add(timer)
      const cancel = time.timers.after(ms, run)
      return () => {
        open.delete(timer)
        cancel()
      }
    },
  }
  const counted = slots({ ...time, timers, places: 1, queue: 0 })

  expect(await counted.take('a.example.com', deadline)).toBeTypeOf('function')
  expect(await counted.take('b.example.com', deadline)).toBeUndefined()

  expect(open.size).toBe(0)
})
