import { afterEach, expect, it, vi } from 'vitest'
import type { requeueDeliveries } from '../../../contracts/schedules.ts'
import { createScheduled } from '../../../functions/scheduled.ts'
import { aContext, anApi } from '../../support/platform/api.ts'

afterEach(() => vi.useRealTimers())

it('scheduled work that fails is logged and fails its call, and the next call is unaffected', async () => {
  const api = anApi()
  let calls = 0
  const work = async () => {
    calls += 1
    if (calls === 1) throw new Error('the store is gone')
  }
  const handler = createScheduled<typeof requeueDeliveries>(api.ports, work, api.tools)

  await expect(handler({}, aContext)).rejects.toThrow('the store is gone')
  await expect(handler({}, aContext)).resolves.toBeUndefined()

  expect(JSON.stringify(api.log.lines)).toContain('scheduled work not done')
})

it('scheduled work that does not end fails its call half a second before the time limit', async () => {
  vi.useFakeTimers()
  const api = anApi()
  const work = () => new Promise<void>(() => {})
  const handler = createScheduled<typeof requeueDeliveries>(api.ports, work, api.tools)

  const call = handler({}, { getRemainingTimeInMillis: () => 60_000 })
  const failed = expect(call).rejects.toThrow('the time of the function ran out')
  await vi.advanceTimersByTimeAsync(59_499)
  expect(api.log.lines).toEqual([])
  await vi.advanceTimersByTimeAsync(1)

  await failed
})
