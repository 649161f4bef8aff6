import { expect, test } from 'vitest'
import { patternRests } from '../../../adapters/regex/linear-pattern.ts'

/** Rests on a clock that only work and rests move; `slept` are the rests. */
function someRests() {
  let nowMs = 1_000
  const slept: number[] = []
  const rest = patternRests({
    now: () => nowMs,
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    wait: async (ms) => {
      slept.push(ms)
      nowMs += ms
    },
  })
  const work = (ms: number) => {
    nowMs += ms
  }
  return { rest, slept, work }
}

test('pattern matching by one caller pauses as long as it has worked before', async () => {
  const { rest, slept, work } = someRests()
  await rest()
  for (const ms of [3, 5]) {
    work(ms)
    await rest()
  }

  expect(slept.slice(1)).toEqual([3, 5])
})

test('pattern matching by two callers pauses each as long as the other has worked since', async () => {
  const { rest, slept, work } = someRests()
  const worker = async () => {
    for (let slice = 0; slice < 3; slice += 1) {
      await rest()
      // Callers are asynchronous functions that call each other: the work begins some promises later.
      for (let depth = 0; depth < 5; depth += 1) await Promise.resolve()
      work(4)
    }
  }
  await Promise.all([worker(), worker()])

  expect(slept.slice(1)).toEqual([4, 4, 4, 4, 4])
})

test('a pause between patterns takes 1 to 8 ms, however short or long the work before it was', async () => {
  const { rest, slept, work } = someRests()
  await rest()
  await rest()
  work(60)
  await rest()

  expect(slept.slice(1)).toEqual([1, 8])
})
