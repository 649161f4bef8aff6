import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { BodyTooLarge, readBody } from '../../../packages/laptop/gate/read-body.ts'

const aRequest = () => Object.assign(new PassThrough(), { headers: { 'content-length': '100000' } })

it('a body above its limit is read to its end before the refusal if the rest is small enough', async () => {
  const request = aRequest()
  const refused = vi.fn<(error: unknown) => void>()
  const reading = readBody(request, 10, 10).catch(refused)
  request.write(Buffer.alloc(20))
  await setImmediate()
  expect(refused).not.toHaveBeenCalled()

  request.end()
  await reading
  expect(refused).toHaveBeenCalledWith(expect.any(BodyTooLarge))
})

it('a body that exceeds its limit by more than may be discarded is refused before its end', async () => {
  const request = aRequest()
  request.write(Buffer.alloc(21))

  await expect(readBody(request, 10, 10)).rejects.toThrow(BodyTooLarge)
})

it('a body that is within its limit is read whole', async () => {
  const request = aRequest()

  const reading = readBody(request, 100_000)
  request.write('te')
  request.end('xt')

  expect((await reading).toString()).toBe('text')
})
