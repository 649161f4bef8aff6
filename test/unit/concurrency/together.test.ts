import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import { together } from '../../../core/concurrency/together.ts'
import { settle } from '../../support/processes/manual-time.ts'

/** A call that ends when the test says so, and what it was given. */
function aCall() {
  const work = new AsyncLocalStorage<string>()
  const made: { readonly items: readonly string[]; readonly by: string | undefined; end: () => void }[] = []
  const call = together(
    (items: readonly string[]) =>
      new Promise<number>((end) => made.push({ items, by: work.getStore(), end: () => end(items.length) })),
    settle,
  )
  return { made, offer: (by: string) => work.run(by, () => call([by])) }
}

test('a call is made by one of the callers that wait for it, within its own time limit', async () => {
  const { made, offer } = aCall()
  const first = offer('first')
  await settle()
  await settle()
  const later = [offer('second'), offer('third')]
  made[0]?.end()
  await first
  await settle()
  made[1]?.end()

  expect(await Promise.all(later)).toEqual([2, 2])
  expect(made.map(({ items, by }) => [items, by])).toEqual([
    [['first'], 'first'],
    [['second', 'third'], 'second'],
  ])
})

test('there is one call at a time, and a caller after it has another one', async () => {
  const { made, offer } = aCall()
  const first = offer('first')
  await settle()
  await settle()
  const second = offer('second')
  await settle()
  expect(made).toHaveLength(1)

  made[0]?.end()
  await first
  await settle()
  expect(made).toHaveLength(2)
  made[1]?.end()
  await second
  const third = offer('third')
  await settle()
  await settle()
  made[2]?.end()

  expect(await third).toBe(1)
})
