import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterEach, expect, it, vi } from 'vitest'
import type { prepareSearch } from '../../../contracts/preparations.ts'
import { type PreparationWork, createPreparation } from '../../../functions/preparation.ts'
import { aContext, anApi } from '../../support/api.ts'

type Work = PreparationWork<typeof prepareSearch>

const closing: (() => void)[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const close of closing.splice(0)) close()
})

/** A handler over memory, and the address where a deployment waits for answers. */
async function aPreparation(work: Work, status = 200) {
  const answers: unknown[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    answers.push({ method: request.method, type: request.headers['content-type'], body: await json(request) })
    response.writeHead(status).end()
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const api = anApi()
  const request = (RequestType: 'Create' | 'Update' | 'Delete') => ({
    RequestType,
    ResponseURL: `http://127.0.0.1:${port}/answer?signature=some`,
    StackId: 'stack',
    RequestId: 'request',
    LogicalResourceId: 'Call',
    ResourceProperties: { Edition: 'some' },
  })
  return { api, answers, request, handler: createPreparation<typeof prepareSearch>(api.ports, work, api.tools) }
}

const told = (Status: string, Reason: string) => ({
  method: 'PUT',
  type: undefined,
  body: {
    Status,
    Reason,
    PhysicalResourceId: 'Call',
    StackId: 'stack',
    RequestId: 'request',
    LogicalResourceId: 'Call',
  },
})

it('a deployment is told that the store is ready, at its first and at each later call', async () => {
  let calls = 0
  const { handler, request, answers } = await aPreparation(async () => {
    calls += 1
    return []
  })

  await handler(request('Create'), aContext)
  await handler(request('Update'), aContext)

  expect(calls).toBe(2)
  expect(answers).toEqual([told('SUCCESS', 'prepared'), told('SUCCESS', 'prepared')])
})

it('a deployment is told why the store could not be made ready', async () => {
  const { handler, request, answers, api } = await aPreparation(() => Promise.reject(new Error('the store is gone')))

  await handler(request('Create'), aContext)

  expect(answers).toEqual([told('FAILED', 'the store is gone')])
  expect(JSON.stringify(api.log.lines)).toContain('preparation failed')
})

it('what was made ready stays when its deployment is removed', async () => {
  let calls = 0
  const { handler, request, answers } = await aPreparation(async () => {
    calls += 1
    return []
  })

  await handler(request('Delete'), aContext)

  expect(calls).toBe(0)
  expect(answers).toEqual([told('SUCCESS', 'prepared')])
})

it('a deployment that cannot be told fails the call', async () => {
  const { handler, request } = await aPreparation(async () => [], 403)

  await expect(handler(request('Delete'), aContext)).rejects.toThrow('its address answered 403')
})

it('whoever calls it without a deployment gets the notes, which are logged too, or the failure', async () => {
  const good = await aPreparation(async () => ['nothing is ever removed'])
  const bad = await aPreparation(() => Promise.reject(new Error('the store is gone')))

  expect(await good.handler({}, aContext)).toEqual({ notes: ['nothing is ever removed'] })
  expect(JSON.stringify(good.api.log.lines)).toContain('nothing is ever removed')
  await expect(bad.handler({}, aContext)).rejects.toThrow('the store is gone')
})

it('work that does not end leaves ten seconds to say so', async () => {
  vi.useFakeTimers()
  const api = anApi()
  const handler = createPreparation<typeof prepareSearch>(api.ports, () => new Promise(() => {}), api.tools)

  const call = handler({}, { getRemainingTimeInMillis: () => 120_000 })
  const failed = expect(call).rejects.toThrow('the time of the function ran out')
  await vi.advanceTimersByTimeAsync(110_000)

  await failed
})
