import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { FunctionFailed } from '../../../packages/laptop/functions/function-host.ts'
import { MalformedResult, functionReply } from '../../../packages/laptop/gateway/function-reply.ts'
import { Gateway, type Invoke } from '../../../packages/laptop/gateway/gateway.ts'
import { RouteTable } from '../../../packages/laptop/gateway/route-table.ts'
import { contractRefusal } from '../../../local/platform/contract-refusal.ts'

const routes = new RouteTable(
  [
    'GET /things',
    'GET /things/{id}',
    'PUT /things/{id}',
    'GET /things/special',
    'ANY /any',
    'GET /files/{path+}',
    '$default',
  ].map((key) => ({ key, target: key })),
)

describe('RouteTable', () => {
  it.each([
    ['GET', '/things', 'GET /things', undefined],
    ['GET', '/things/7', 'GET /things/{id}', { id: '7' }],
    ['PUT', '/things/7', 'PUT /things/{id}', { id: '7' }],
    ['GET', '/things/special', 'GET /things/special', undefined],
    ['GET', '/things/a%2Fb%20c', 'GET /things/{id}', { id: 'a/b c' }],
    ['GET', '/things/50%25', 'GET /things/{id}', { id: '50%' }],
    ['GET', '/things/', '$default', undefined],
    ['GET', '/things/7/more', '$default', undefined],
    ['DELETE', '/things/7', '$default', undefined],
    ['POST', '/any', 'ANY /any', undefined],
    ['GET', '/files/a/b.wav', 'GET /files/{path+}', { path: 'a/b.wav' }],
    ['GET', '/', '$default', undefined],
  ])('the route table finds the route of %s %s', (method, path, routeKey, parameters) => {
    expect(routes.find(method, path)).toEqual({ routeKey, target: routeKey, parameters })
  })

  it('the route table finds nothing if no route matches and there is no default', () => {
    expect(new RouteTable([{ key: 'GET /a', target: 1 }]).find('GET', '/b')).toBeUndefined()
  })
})

describe('functionReply', () => {
  it.each<[string, object, [number, object, string]]>([
    [
      'an answer',
      { statusCode: 201, headers: { 'X-A': 1 }, body: '{}' },
      [201, { 'content-type': 'application/json', 'x-a': '1' }, '{}'],
    ],
    [
      'cookies',
      { statusCode: 200, cookies: ['a=1', 'b=2'] },
      [200, { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] }, ''],
    ],
    [
      'base64',
      { statusCode: 200, body: 'aGk=', isBase64Encoded: true },
      [200, { 'content-type': 'application/json' }, 'hi'],
    ],
    ['a bare value', { hello: 'you' }, [200, { 'content-type': 'application/json' }, '{"hello":"you"}']],
  ])("a function's result is converted as API Gateway does: %s", (_name, result, [status, headers, body]) => {
    const reply = functionReply(result)

    expect([reply.status, reply.headers, reply.body.toString()]).toEqual([status, headers, body])
  })

  it("a function's result whose status is not a number is an error", () => {
    expect(() => functionReply({ statusCode: 'x' })).toThrow(MalformedResult)
  })
})

/** The part of an event that tests look into; the rest is kept. */
const eventAnswer = z.object({
  event: z.looseObject({
    headers: z.record(z.string(), z.string()),
    body: z.optional(z.string()),
    isBase64Encoded: z.boolean(),
    requestContext: z.looseObject({ http: z.looseObject({ sourceIp: z.string() }) }),
  }),
})

describe('the gateway', () => {
  let gateway: Gateway
  let url: string
  let invoke: Invoke

  beforeEach(async () => {
    gateway = new Gateway({ refuse: contractRefusal })
    url = `http://${await gateway.open('127.0.0.1', 0)}`
    invoke = (name, event) => Promise.resolve({ name, event })
  })

  afterEach(() => gateway.close())

  const serve = () => gateway.serve({ table: routes, invoke: (...call) => invoke(...call) })
  const eventOf = async (path: string, init?: RequestInit) => {
    serve()
    const answer = z.parse(eventAnswer, await (await fetch(`${url}${path}`, init)).json())
    return answer.event
  }

  it('the gateway answers 503 in the form of the contract until it is ready', async () => {
    const response = await fetch(`${url}/things`)

    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ status: 'error', code: 'store_unavailable' })
  })

  it('the gateway passes a request to the function of its route as an event of format 2.0', async () => {
    const event = await eventOf('/things/a%20b?x=1&y=%C3%A4&x=2', {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-many': 'one', cookie: 'a=1; b=2' },
      body: '{"ä":1}',
    })

    expect(event).toMatchObject({
      version: '2.0',
      routeKey: 'PUT /things/{id}',
      rawPath: '/things/a b',
      rawQueryString: 'x=1&y=%C3%A4&x=2',
      queryStringParameters: { x: '1,2', y: 'ä' },
      pathParameters: { id: 'a b' },
      cookies: ['a=1', 'b=2'],
      headers: { 'content-type': 'application/json', 'x-many': 'one' },
      body: '{"ä":1}',
      isBase64Encoded: false,
      requestContext: { http: { method: 'PUT', path: '/things/a b', sourceIp: '127.0.0.1' }, stage: '$default' },
    })
    expect(event.headers).not.toHaveProperty('cookie')
  })

  it('the gateway omits members of the event that a request does not have', async () => {
    const event = await eventOf('/things')

    for (const name of ['body', 'cookies', 'queryStringParameters', 'pathParameters'])
      expect(event).not.toHaveProperty(name)
  })

  it.each([
    ['application/x-www-form-urlencoded', true],
    ['application/octet-stream', true],
    ['text/plain', false],
    ['application/problem+json; charset=utf-8', false],
  ])('the gateway passes on a body of type %s, in base64: %s', async (type, base64) => {
    const event = await eventOf('/any', { method: 'POST', headers: { 'content-type': type }, body: 'a=1' })

    expect([event.isBase64Encoded, event.body]).toEqual([base64, base64 ? 'YT0x' : 'a=1'])
  })

  /** Sends a request as it stands and returns the whole answer. */
  async function answerTo(...lines: readonly string[]): Promise<string> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write([...lines, 'Connection: close', '', ''].join('\r\n'))
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    await once(socket, 'close')
    return text
  }

  it('the gateway joins repeated headers by commas', async () => {
    serve()

    expect(await answerTo('GET /any HTTP/1.1', 'Host: h', 'X-A: 1', 'x-a: 2')).toContain('"x-a":"1,2"')
  })

  it.each([
    ['http://callplane.example:8080/things/a%20b?x=1', '/things/a b', 'x=1'],
    ['HTTPS://[::1]/any', '/any', ''],
    ['http://callplane.example?x=1', '/', 'x=1'],
  ])('the target %s, which names the whole address, means its path', async (target, rawPath, rawQueryString) => {
    serve()

    const text = await answerTo(`GET ${target} HTTP/1.1`, 'Host: h')

    expect(text).toContain(`"rawPath":"${rawPath}","rawQueryString":"${rawQueryString}"`)
  })

  it.each([
    [['Host: h', 'Host: h']],
    [['Host: a', 'X-A: 1', 'host: b']],
    [['Host: h/x']],
    [['Host: user@h']],
    [['Host: h, i']],
    [['X-A: 1']],
  ])('a request with the headers %j is refused, since it has not one address', async (headers) => {
    serve()

    const text = await answerTo('GET /any HTTP/1.1', ...headers)

    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(text).toContain('"code":"bad_request"')
  })

  it.each(['h:80', '[::1]:8080', '', '127.0.0.1', 'a-b.example.', 'h:'])('the Host "%s" is accepted', async (host) => {
    serve()

    expect(await answerTo('GET /any HTTP/1.1', `Host: ${host}`)).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('the gateway ignores a forwarded address', async () => {
    const event = await eventOf('/any', { headers: { 'x-forwarded-for': '8.8.8.8' } })

    expect(event.requestContext.http.sourceIp).toBe('127.0.0.1')
  })

  it('the gateway answers 413 to a body that is larger than any route allows, and calls no function', async () => {
    serve()
    let calls = 0
    invoke = () => Promise.resolve(void (calls += 1))

    const response = await fetch(`${url}/any`, { method: 'POST', body: Buffer.alloc(1024 * 1024 + 1) })

    expect([response.status, calls]).toEqual([413, 0])
  })

  it.each([
    ['error', 500, 'internal_error'],
    ['crash', 504, 'outcome_unknown'],
    ['timeout', 504, 'deadline_exceeded'],
  ] as const)(
    'answers a function that ended in %s with %i in the form of the contract',
    async (reason, status, code) => {
      serve()
      invoke = () => Promise.reject(new FunctionFailed(reason, 'secret detail'))

      const response = await fetch(`${url}/any`, { method: 'POST', headers: { 'x-request-id': 'mine' } })
      const text = await response.text()

      expect([response.status, response.headers.get('x-request-id')]).toEqual([status, 'mine'])
      expect(JSON.parse(text)).toMatchObject({ status: 'error', code, requestId: 'mine', info: expect.any(String) })
      expect(text).not.toContain('secret')
    },
  )

  it('the gateway repeats a read request whose thread died, so that its client does not notice', async () => {
    serve()
    let calls = 0
    invoke = () => {
      calls += 1
      return calls === 1 ? Promise.reject(new FunctionFailed('crash', '')) : Promise.resolve({ statusCode: 200 })
    }

    const response = await fetch(`${url}/any`)

    expect([response.status, calls]).toEqual([200, 2])
  })

  it('the gateway answers 503 with Retry-After to a read request whose thread died twice', async () => {
    serve()
    invoke = () => Promise.reject(new FunctionFailed('crash', ''))

    const response = await fetch(`${url}/any`)

    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await response.json()).toMatchObject({ status: 'error', code: 'store_unavailable' })
  })

  it.each(['%zz', '%ff', '50%'])(
    'the gateway answers 400 to the malformed path %s and calls no function',
    async (path) => {
      serve()
      let calls = 0
      invoke = () => Promise.resolve(void (calls += 1))

      const response = await fetch(`${url}/things/${path}`)

      expect([response.status, calls]).toEqual([400, 0])
    },
  )

  it('the gateway sends no body with a HEAD or a 204', async () => {
    serve()
    invoke = () => Promise.resolve({ statusCode: 204 })
    const empty = await fetch(`${url}/any`)
    invoke = () => Promise.resolve({ statusCode: 200, body: 'four' })
    const head = await fetch(`${url}/any`, { method: 'HEAD' })

    expect([empty.status, empty.headers.has('content-length')]).toEqual([204, false])
    expect([head.headers.get('content-length'), await head.text()]).toEqual(['4', ''])
  })
})
