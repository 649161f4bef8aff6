import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterEach, expect, it, vi } from 'vitest'
import type { prepareSearch } from '../../../contracts/preparations.ts'
import { type PreparationWork, createPreparation } from '../../../functions/preparation.ts'
import { aContext, anApi } from '../../support/platform/api.ts'

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

const reported = (Status: string, Reason: string) => ({
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

it('a deployment is notified that the store is ready, at its first call and at each later one', async () => {
  let calls = 0
  const { handler, request, answers } = await aPreparation(async () => {
    calls += 1
    return []
  })

  await handler(request('Create'), aContext)
  await handler(request('Update'), aContext)

  expect(calls).toBe(2)
  expect(answers).toEqual([reported('SUCCESS', 'prepared'), reported('SUCCESS', 'prepared')])
})

it('a deployment is notified why the store could not be prepared', async () => {
  const { handler, request, answers, api } = await aPreparation(() => Promise.reject(new Error('the store is gone')))

  await handler(request('Create'), aContext)

  expect(answers).toEqual([reported('FAILED', 'the store is gone')])
  expect(JSON.stringify(api.log.lines)).toContain('preparation failed')
})

it('a store that is away holds up no release and no return to the former one: it is logged, and an alarm reads the log', async () => {
  const { handler, request, answers, api } = await aPreparation(() => Promise.reject(new Error('the store is gone')))

  await handler(request('Update'), aContext)

  expect(answers).toEqual([reported('SUCCESS', 'prepared')])
  expect(JSON.stringify(api.log.lines)).toContain('preparation failed')
})

it('a prepared store is kept when its deployment is removed', async () => {
  let calls = 0
  const { handler, request, answers } = await aPreparation(async () => {
    calls += 1
    return []
  })

  await handler(request('Delete'), aContext)

  expect(calls).toBe(0)
  expect(answers).toEqual([reported('SUCCESS', 'prepared')])
})

it('a preparation fails if its deployment cannot be notified', async () => {
  const { handler, request } = await aPreparation(async () => [], 403)

  await expect(handler(request('Delete'), aContext)).rejects.toThrow('its address answered 403')
})

it('a direct caller of a preparation gets the notes, which are logged too, or the failure', async () => {
  const good = await aPreparation(async () => ['nothing is ever removed'])
  const bad = await aPreparation(() => Promise.reject(new Error('the store is gone')))

  expect(await good.handler({}, aContext)).toEqual({ notes: ['nothing is ever removed'] })
  expect(JSON.stringify(good.api.log.lines)).toContain('nothing is ever removed')
  await expect(bad.handler({}, aContext)).rejects.toThrow('the store is gone')
  expect(JSON.stringify(bad.api.log.lines)).toContain('preparation failed')
})

it('a preparation that does not end is stopped ten seconds early, so that this can be reported', async () => {
  vi.useFakeTimers()
  const api = anApi()
  const handler = createPreparation<typeof prepareSearch>(api.ports, () => new Promise(() => {}), api.tools)

  const call = handler({}, { getRemainingTimeInMillis: () => 120_000 })
  const failed = expect(call).rejects.toThrow('the time of the function ran out')
  await vi.advanceTimersByTimeAsync(110_000)

  await failed
})
