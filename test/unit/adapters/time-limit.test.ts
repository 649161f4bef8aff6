import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { timeLimitSignal, withTimeLimit } from '../../../adapters/time-limit.ts'

const clock = { now: () => Date.now() }

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

it('the signal of work is aborted when the time limit of the work passes, not before', async () => {
  await withTimeLimit({ until: Date.now() + 1000, clock }, async () => {
    const signal = timeLimitSignal()

    await vi.advanceTimersByTimeAsync(999)
    expect(signal?.aborted).toBe(false)

    await vi.advanceTimersByTimeAsync(1)
    expect(signal?.reason).toMatchObject({ name: 'TimeoutError' })
  })
})

it.each([
  ['ends', async () => 'done'],
  ['fails', async () => Promise.reject(new Error('no'))],
])('work that %s before its time limit leaves no timer that would keep it in memory', async (_how, end) => {
  let during = 0
  const work = async () => {
    timeLimitSignal()
    during = vi.getTimerCount()
    return end()
  }

  await Promise.allSettled([withTimeLimit({ until: Date.now() + 28_000, clock }, work)])

  expect(during).toBe(1)
  expect(vi.getTimerCount()).toBe(0)
})
