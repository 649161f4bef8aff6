import { expect, it } from 'vitest'
import { retry } from '../../../core/concurrency/retry.ts'
import { manualTime, settle } from '../../support/processes/manual-time.ts'

/** Work that fails so many times, with the moments of its attempts in milliseconds. */
function failing(times: number) {
  const time = manualTime(0)
  const at: number[] = []
  const work = async () => {
    at.push(time.clock.now())
    if (at.length <= times) throw new Error(`failure ${at.length}`)
    return 'done'
  }
  return { time, at, work, deps: { timers: time.timers, random: () => 0 } }
}

it('a retry waits longer after each failure, five seconds at most, until the work is done', async () => {
  const { time, at, work, deps } = failing(7)
  const failures: number[] = []

  const result = retry(work, deps, { onFailure: (_problem, count) => failures.push(count) })
  await time.advance(60_000)

  expect(await result).toEqual({ value: 'done' })
  expect(at).toEqual([0, 250, 750, 1_750, 3_750, 7_750, 12_750, 17_750])
  expect(failures).toEqual([1, 2, 3, 4, 5, 6, 7])
})

it('a retry throws the last failure once all its attempts were made, without another wait', async () => {
  const { time, at, work, deps } = failing(9)

  const result = expect(retry(work, deps, { attempts: 3 })).rejects.toThrow('failure 3')
  await time.advance(750)
  await result

  expect(at).toHaveLength(3)
})

it('a retry ends at once without a result when it is aborted while it waits', async () => {
  const { at, work, deps } = failing(9)
  const stopping = new AbortController()
  const result = retry(work, deps, { signal: stopping.signal })
  await settle()

  stopping.abort()

  expect(await result).toBeUndefined()
  expect(at).toHaveLength(1)
})

it('a retry makes no attempt that it may not make', async () => {
  const { time, at, work, deps } = failing(9)
  const result = retry(work, deps, { mayTry: () => at.length < 2 })

  await time.advance(10_000)

  expect(await result).toBeUndefined()
  expect(at).toHaveLength(2)
})
