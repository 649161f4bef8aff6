import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { BodyTooLarge, BodyTooSlow, readBody } from '../../../local/gate/read-body.ts'

const pace = { graceMs: 5000, bytesPerSecond: 1000 }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

const aRequest = () => Object.assign(new PassThrough(), { headers: { 'content-length': '100000' } })

it('a body of which no byte arrives is refused when the grace period is over, not before', async () => {
  const refused = vi.fn<(error: unknown) => void>()
  const reading = readBody(aRequest(), 100_000, { pace }).catch(refused)

  await vi.advanceTimersByTimeAsync(4999)
  expect(refused).not.toHaveBeenCalled()

  await vi.advanceTimersByTimeAsync(1)
  await reading
  expect(refused).toHaveBeenCalledWith(expect.any(BodyTooSlow))
})

it('a body that arrives at the minimum speed is read, however long it takes', async () => {
  const request = aRequest()
  const reading = readBody(request, 100_000, { pace })

  for (let second = 0; second < 60; second += 1) {
    request.write(Buffer.alloc(1000))
    await vi.advanceTimersByTimeAsync(1000)
  }
  request.end()

  expect((await reading).length).toBe(60_000)
})

it('a body that becomes too slow halfway is refused as soon as it does', async () => {
  const request = aRequest()
  const refused = vi.fn<(error: unknown) => void>()
  const reading = readBody(request, 100_000, { pace }).catch(refused)
  request.write(Buffer.alloc(3000))

  await vi.advanceTimersByTimeAsync(7999)
  expect(refused).not.toHaveBeenCalled()

  await vi.advanceTimersByTimeAsync(1)
  await reading
  expect(refused).toHaveBeenCalledWith(expect.any(BodyTooSlow))
})

it('a body that was read leaves no open timer', async () => {
  const request = aRequest()
  const reading = readBody(request, 100_000, { pace })
  request.end('text')
  await reading

  expect(vi.getTimerCount()).toBe(0)
})

it('a body above its limit is read to its end before the refusal if the rest is small enough', async () => {
  const request = aRequest()
  const refused = vi.fn<(error: unknown) => void>()
  const reading = readBody(request, 10, { droppedBytes: 10 }).catch(refused)
  request.write(Buffer.alloc(20))
  await vi.advanceTimersByTimeAsync(0)
  expect(refused).not.toHaveBeenCalled()

  request.end()
  await reading
  expect(refused).toHaveBeenCalledWith(expect.any(BodyTooLarge))
})

it('a body that exceeds its limit by more than may be discarded is refused before its end', async () => {
  const request = aRequest()
  request.write(Buffer.alloc(21))

  await expect(readBody(request, 10, { droppedBytes: 10 })).rejects.toThrow(BodyTooLarge)
})

it('a body that comes together with its headers starts no timer', async () => {
  vi.useRealTimers()
  const request = aRequest()
  const timer = vi.spyOn(globalThis, 'setTimeout')

  const reading = readBody(request, 100_000, { pace })
  request.end('text')

  expect((await reading).toString()).toBe('text')
  expect(timer).not.toHaveBeenCalled()
  timer.mockRestore()
})
