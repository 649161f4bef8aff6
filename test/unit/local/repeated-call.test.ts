import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RepeatedCall } from '../../../packages/laptop/schedules/repeated-call.ts'
import { startSchedules } from '../../../packages/laptop/schedules/start-schedules.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it('a repeated call is made once in each interval, even after a failed one, until it is stopped', async () => {
  let calls = 0
  const errors: unknown[] = []
  const call = async () => {
    calls += 1
    if (calls === 1) throw new Error('not now')
  }
  const repeated = new RepeatedCall({ everyMs: 1_000, call, onError: (error) => errors.push(error) })

  await vi.advanceTimersByTimeAsync(999)
  expect(calls).toBe(0)
  await vi.advanceTimersByTimeAsync(2_001)
  expect(calls).toBe(3)
  await repeated.stop()
  await vi.advanceTimersByTimeAsync(5_000)

  expect(calls).toBe(3)
  expect(errors).toHaveLength(1)
})

it('a repeated call is not made while the previous one is under way, and a stop waits for it', async () => {
  const ends: (() => void)[] = []
  const call = () => new Promise<void>((resolve) => ends.push(resolve))
  const repeated = new RepeatedCall({ everyMs: 1_000, call, onError: () => {} })
  await vi.advanceTimersByTimeAsync(3_500)
  expect(ends).toHaveLength(1)

  const stopped = repeated.stop()
  const first = await Promise.race([stopped, vi.advanceTimersByTimeAsync(10_000).then(() => 'time')])
  ends[0]?.()

  expect(first).toBe('time')
  await expect(stopped).resolves.toBeUndefined()
})

it('each schedule of the assembly calls its own function', async () => {
  const called: string[] = []
  const host = { invoke: (name: string) => Promise.resolve(called.push(name)) }
  const aFunction = (name: string) => ({
    name,
    arn: `arn:${name}`,
    roleArn: 'r',
    directory: 'd',
    handler: 'index.handler',
    environment: {},
    timeoutSeconds: 1,
    memoryMb: 128,
  })
  const assembly = {
    functions: [aFunction('a'), aFunction('b')],
    schedules: [
      { functionArn: 'arn:b', everyMs: 60_000 },
      { functionArn: 'arn:a', everyMs: 120_000 },
    ],
  }
  const schedules = startSchedules(assembly, { host })

  await vi.advanceTimersByTimeAsync(120_000)
  await schedules.stop(new AbortController().signal)

  expect(called.toSorted()).toEqual(['a', 'b', 'b'])
})
