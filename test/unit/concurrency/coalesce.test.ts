import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import { coalesce } from '../../../core/concurrency/coalesce.ts'
import { settle } from '../../support/processes/manual-time.ts'

/** A call that ends when the test says so, and what it was given. Callers in `late` have no time left. */
function aCall(most = 10) {
  const work = new AsyncLocalStorage<string>()
  const late = new Set<string | undefined>()
  const made: { readonly items: readonly string[]; readonly by: string | undefined; end: () => void }[] = []
  const call = coalesce(
    (items: readonly string[]) =>
      new Promise<number>((end) => made.push({ items, by: work.getStore(), end: () => end(items.length) })),
    {
      most,
      turn: async () => {
        if (late.has(work.getStore())) throw new Error('late')
      },
    },
  )
  const offer = (by: string, items: readonly string[] = [by]) => work.run(by, () => call(items))
  /** Ends the call that was made last, and lets the next one be made. */
  const end = async () => {
    made.at(-1)?.end()
    await settle()
  }
  return { made, late, offer, end }
}

test('a call is made by one of the callers that wait for it, within its own time limit', async () => {
  const { made, offer, end } = aCall()
  const first = offer('first')
  await settle()
  const later = [offer('second'), offer('third')]
  await end()
  await end()

  expect(await Promise.all([first, ...later])).toEqual([1, 2, 2])
  expect(made.map(({ items, by }) => [items, by])).toEqual([
    [['first'], 'first'],
    [['second', 'third'], 'second'],
  ])
})

test('calls do not overlap, and a caller that comes after a call starts another', async () => {
  const { made, offer, end } = aCall()
  const first = offer('first')
  await settle()
  const second = offer('second')
  await settle()
  expect(made).toHaveLength(1)

  await end()
  expect(made).toHaveLength(2)
  await end()
  const third = offer('third')
  await settle()
  await end()

  expect(await Promise.all([first, second, third])).toEqual([1, 1, 1])
})

test('a caller whose time is over while it waits fails alone, and another one makes the call', async () => {
  const { made, late, offer, end } = aCall()
  const first = offer('first')
  await settle()
  const second = offer('second').catch(({ message }) => message)
  const third = offer('third')
  late.add('second')
  await end()
  await end()

  expect(await Promise.all([first, second, third])).toEqual([1, 'late', 1])
  expect(made.map(({ items, by }) => [items, by])).toEqual([
    [['first'], 'first'],
    [['third'], 'third'],
  ])
})

test('a call takes no more items than it may, and the rest goes with the next call', async () => {
  const { made, offer, end } = aCall(3)
  const first = offer('first')
  await settle()
  const later = [offer('b', ['b1', 'b2']), offer('c', ['c1', 'c2']), offer('d'), offer('e', ['e1', 'e2', 'e3', 'e4'])]
  for (let calls = 0; calls < 4; calls += 1) await end()

  expect(await Promise.all([first, ...later])).toEqual([1, 3, 2, 3, 4])
  expect(made.map(({ items }) => items)).toEqual([['first'], ['b1', 'b2', 'd'], ['c1', 'c2'], ['e1', 'e2', 'e3', 'e4']])
})
