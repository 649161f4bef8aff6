import { createServer } from 'node:http'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { asRoot } from '../../../local/platform/first-data.ts'
import { addressOf, listen } from '../../../packages/laptop/processes/listen.ts'

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** The timers of these tests fire at once. */
const timers = {
  after: (_ms: number, run: () => void) => {
    queueMicrotask(run)
    return () => {}
  },
}

const token = { key: '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f', token: 'a.b.c', expires: 1 }
const successes: Readonly<Record<string, unknown>> = {
  '/login': { ...token, username: 'root', role: 2, roleName: 'root', acl: {}, cdr: { host: 'h', useProxy: 'true' } },
  '/api/v2/domains': { status: 'OK', data: {} },
  '/logout': { status: 'OK', info: 'Successful logout.' },
}

/** A service that answers with `statusOf` a path and the number of the request to it. Counts the requests. */
async function aService(statusOf: (path: string, count: number) => number) {
  const asked: Record<string, number> = {}
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked[path] = (asked[path] ?? 0) + 1
    const status = statusOf(path, asked[path])
    const body =
      status === 200 ? successes[path] : { status: 'error', info: 'no', code: 'rate_limited', requestId: 'r' }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await listen(server, { host: '127.0.0.1', port: 0 })
  closers.push(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const list = (signal?: AbortSignal) =>
    asRoot(`http://${addressOf(server)}`, 'secret', (root) => root.call('listDomains'), {
      timers,
      random: () => 0,
      ...(signal && { signal }),
    })
  return { asked, list }
}

test('a start repeats its login, lists and logout if a rate limit refuses them', async () => {
  const { asked, list } = await aService((_path, count) => (count < 3 ? 429 : 200))

  expect(await list()).toEqual({ status: 'OK', data: {} })
  expect(asked).toEqual({ '/login': 3, '/api/v2/domains': 3, '/logout': 3 })
})

test.each([401, 500])('a start repeats no call that was answered with %i', async (status) => {
  const { asked, list } = await aService((path) => (path === '/api/v2/domains' ? status : 200))

  await expect(list()).rejects.toThrow(`GET /api/v2/domains was answered ${status}`)
  expect(asked).toEqual({ '/login': 1, '/api/v2/domains': 1, '/logout': 1 })
})

test('a start whose login is always refused fails after twenty attempts', async () => {
  const { asked, list } = await aService(() => 429)

  await expect(list()).rejects.toThrow('POST /login was answered 429')
  expect(asked).toEqual({ '/login': 20 })
})

test('a start that was interrupted does not repeat a refused call', async () => {
  const { asked, list } = await aService(() => 429)

  await expect(list(AbortSignal.abort())).rejects.toThrow('POST /login was answered 429')
  expect(asked).toEqual({ '/login': 1 })
})
