import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { errorBody } from '../../contracts/routes/shapes.ts'
import { routes } from '../../contracts/routes/index.ts'
import { clientOf } from '../support/platform/checked-client.ts'
import { checkOverHttp } from '../support/platform/declared.ts'
import { type TestPlatform, aPlatform, tenantPassword } from '../support/platform/platform.ts'
import { requestLines, sendLines } from '../support/engine/raw-lines.ts'
import { type RawAnswer, type RawRequest, rawRequest } from '../support/processes/raw-request.ts'

const domain = 'bad.example.com'
const classShape = z.record(z.string(), z.array(z.string()))
const classes = { A: readClass('call-control'), D: readClass('credentials'), F: readClass('http-and-json') }

function readClass(name: string): Readonly<Record<string, readonly string[]>> {
  return z.parse(classShape, JSON.parse(readFileSync(`test/fixtures/bad-inputs/${name}.json`, 'utf8')))
}

/** The samples of one group of a class of bad inputs. */
function samples(id: keyof typeof classes, group: string): readonly string[] {
  const found = classes[id][group]
  if (found === undefined) throw new Error(`no group "${group}" in class ${id}`)
  return found
}

let platform: TestPlatform
let credential: Readonly<Record<string, string>>
/** Calls to the stores by the endpoints that change something, since the last look. */
const writes: string[] = []

beforeAll(async () => {
  platform = await aPlatform()
  await platform.tenant(domain)
  const body = { username: `1000@${domain}`, password: tenantPassword('1000') }
  const token = await clientOf(platform.url).call('logIn', { body })
  credential = { 'x-key': token.key, 'x-access-token': token.token }
  platform.platform.gate.observe(({ action, resource, roleArn }) => {
    if (!/PutItem|UpdateItem|DeleteItem|SendMessage|Transact/.test(action)) return
    writes.push(`${roleArn.split('/').at(-1)} ${action} ${resource.split(/[/:]/).at(-1)}`)
  })
})

afterAll(async () => {
  await platform.close()
})

/** Sends a request as it is; whatever comes back is held against the declared schemas. */
const send = (sent: RawRequest) => rawRequest(platform.url, sent)

/** Sends JSON with the admin's credential. */
const sendJson = (method: string, path: string, body: string | Buffer) =>
  send({ method, path, body, headers: { ...credential, 'content-type': 'application/json' } })

/** A refusal in the one error shape, with a status of the 4xx kind. */
function expectRefusal(answer: RawAnswer, ...statuses: number[]): void {
  expect(answer.status, answer.text).toBeGreaterThanOrEqual(400)
  expect(answer.status, answer.text).toBeLessThan(500)
  if (statuses.length > 0) expect(statuses, answer.text).toContain(answer.status)
  const refusal = z.parse(errorBody, JSON.parse(answer.text))
  expect(answer.headers['x-request-id']).toBe(refusal.requestId)
}

/** The writes to stores and queues during an action, except the audit trail and times of activity. */
async function writesDuring(act: () => Promise<unknown>): Promise<string[]> {
  writes.length = 0
  await act()
  return writes.filter((line) => !/(Audit|Sessions|Connectors|Presence)Table/.test(line))
}

describe('values that try to break an engine command', () => {
  const groups = Object.entries(classes.A).filter(([group]) => group !== 'channel id and state')

  it.each(groups)('%s: no field of an originate takes them, and no command is recorded', async (_, values) => {
    const written = await writesDuring(async () => {
      for (const value of values) {
        for (const field of ['calledId', 'callerId', 'auto_answer_param']) {
          const body = JSON.stringify({ callerId: '1001', calledId: '9196', [field]: value })
          const answer = await sendJson('POST', '/api/v2/channels', body)
          // Some are well-formed names of callers that do not exist, or of another domain.
          expectRefusal(answer, ...(field === 'callerId' ? [400, 403, 404] : [400]))
        }
      }
    })

    expect(written).toEqual([])
  })

  it('a malformed channel id or state is refused before anything is sent', async () => {
    const uuid = '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f'
    /** Ids as engines may write them, of channels that there are not. */
    const absent = new Set([uuid.toUpperCase(), uuid.replace(/f$/, 'g')])
    const written = await writesDuring(async () => {
      for (const value of samples('A', 'channel id and state')) {
        const path = `/api/v2/channels/${encodeURIComponent(value)}`
        const isMalformed = value.trim() !== '' && !absent.has(value)
        if (isMalformed) expectRefusal(await send({ method: 'DELETE', path, headers: credential }), 400)
        expectRefusal(await sendJson('PUT', `/api/v2/channels/${uuid}`, JSON.stringify({ state: value })), 400)
      }
    })

    expect(written).toEqual([])
    for (const id of absent) {
      expectRefusal(await send({ method: 'DELETE', path: `/api/v2/channels/${id}`, headers: credential }), 404)
    }
  })
})

describe('credentials', () => {
  it.each(samples('D', 'login bodies'))('a login with %s is refused', async (sample) => {
    const body = sample.replaceAll('acme.example.com', domain).replace('<right>', 'not the password')

    expectRefusal(await send({ method: 'POST', path: '/login', body, headers: { 'content-type': 'application/json' } }))
  })

  it.each(samples('D', 'signed token forgeries'))('%s is no token', async (sample) => {
    const [, value = ''] = sample.split(': ')

    for (const key of [credential['x-key'] ?? '', '']) {
      const headers = { 'x-key': key, 'x-access-token': value }
      expectRefusal(await send({ method: 'GET', path: '/api/v2/status', headers }), 401)
    }
  })

  it('credentials are required by every route except those that are declared open', async () => {
    for (const route of routes.filter(({ authentication }) => authentication !== 'none')) {
      for (const method of [route.method, ...(route.otherMethods ?? [])]) {
        const path = route.path.replaceAll(/\{\w+\}/g, '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f')
        expectRefusal(await send({ method, path }), 401)
      }
    }
  })

  it('a credential is refused if it is changed, swapped, doubled or at another position', async () => {
    const { 'x-key': key = '', 'x-access-token': token = '' } = credential
    const attempts: Readonly<Record<string, string>>[] = [
      { 'x-key': key },
      { 'x-access-token': token },
      { 'x-key': token, 'x-access-token': key },
      { 'x-key': key, 'x-access-token': `${token},${token}` },
      { 'x-key': key, 'x-access-token': token.toUpperCase() },
      { 'x-key': key, 'x-access-token': `${token}=` },
      { 'x-key': key, 'x-access-token': token.slice(0, 42) },
      { 'x-key': '../other', 'x-access-token': token },
      { 'x-key': `${key}#b`, 'x-access-token': token },
      { x_key: key, x_access_token: token },
      { authorization: `Bearer ${token}` },
    ]

    for (const headers of attempts) expectRefusal(await send({ method: 'GET', path: '/api/v2/status', headers }), 401)
    expectRefusal(await send({ method: 'GET', path: `/api/v2/status?access_token=${token}&x_key=${key}` }), 401)
    expect((await send({ method: 'GET', path: '/api/v2/status', headers: credential })).status).toBe(200)
  })
})

describe('requests that are no requests of this service', () => {
  const bodies = [...samples('F', 'not JSON'), ...samples('F', 'JSON of another shape')]

  it.each(['/login', '/api/v2/domains', '/api/v2/accounts', '/api/v2/channels', '/api/v2/hooks'])(
    '%s refuses what is not JSON or of another shape, and writes nothing',
    async (path) => {
      const written = await writesDuring(async () => {
        for (const body of bodies) expectRefusal(await sendJson('POST', path, body))
      })

      expect(written).toEqual([])
    },
  )

  it('a body with a repeated key or __proto__ is refused everywhere', async () => {
    for (const body of ['{"a":1,"a":2}', '{"__proto__":{"role":"admin"}}', '{"\\u0064omain":"x","domain":"y"}']) {
      for (const path of ['/login', '/api/v2/accounts', '/api/v2/channels', '/api/v2/hooks']) {
        expectRefusal(await sendJson('POST', path, body), 400)
      }
    }
  })

  it.each([
    [
      'a UTF-8 encoded surrogate',
      Buffer.concat([Buffer.from('{"username":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ],
    ['a lone surrogate', Buffer.from('{"username":"\\ud800"}')],
    ['5 MiB of spaces', Buffer.from(`${' '.repeat(5 * 1024 * 1024)}{}`)],
    ['a number of a million digits', Buffer.from(`{"username":${'9'.repeat(1_000_000)}}`)],
    ['nesting without end', Buffer.from('['.repeat(100_000))],
    ['one byte more than a queue message holds', Buffer.from('{}'.padEnd(1_048_577))],
  ])('a request with %s is refused', async (_, body) => {
    expectRefusal(await sendJson('POST', '/login', body), 400, 413)
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'the media type %s is refused with 415',
    async (type) => {
      const headers = { ...credential, 'content-type': type }

      expectRefusal(await send({ method: 'POST', path: '/api/v2/channels', body: '{}', headers }), 415)
    },
  )

  it('a thousand requests on one connection are each answered', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { hostname, port } = new URL(platform.url)
    const statuses = new Set<number>()
    for (let count = 0; count < 1000; count += 1) {
      const sent = request({ hostname, port, path: '/nothing', agent })
      sent.end()
      const [response] = await once(sent, 'response')
      statuses.add(response.statusCode)
      for await (const chunk of response) expect(chunk.length).toBeGreaterThan(0)
    }
    agent.destroy()

    expect([...statuses]).toEqual([404])
  })

  it('an unknown path is 404 and a known one with another method 405 that names the methods', async () => {
    for (const path of ['/api/v1/accounts', '/API/V2/ACCOUNTS', '/api/v2/channels/a/b/c/eavesdrop', '/nothing']) {
      expectRefusal(await send({ method: 'GET', path, headers: credential }), 404)
    }
    const refusal = await send({ method: 'PATCH', path: '/api/v2/accounts', headers: credential })
    expectRefusal(refusal, 405)
    expect(refusal.headers['allow']).toBe('GET, POST, OPTIONS')
  })

  it('an alias or a trailing slash is answered with the canonical address', async () => {
    const cases = [
      ['/engine/api/v2/accounts?limit=2', '/api/v2/accounts?limit=2'],
      ['/api/v2/accounts/', '/api/v2/accounts'],
      ['/engine/login', '/login'],
    ] as const

    for (const [path, canonical] of cases) {
      const { status, headers } = await send({ method: 'POST', path, headers: credential })
      expect(status).toBe(308)
      expect(String(headers['location']).replace(platform.url, '')).toBe(canonical)
    }
  })

  it.each(samples('F', 'request line and headers'))('%s is answered as it should be', async (sample) => {
    const sent = requestLines[sample]
    if (sent === undefined) throw new Error('the sample has no request')
    const lines = Object.entries(credential).map(([name, value]) => `${name}: ${value}`)

    const answer = await sendLines(platform.url, sent, lines)

    const [method = '', path = ''] = sent.line.split(' ')
    expect(answer.status, answer.head).toBe(sent.status)
    checkOverHttp({ method, path }, { ...answer, contentType: 'application/json' })
    expect(answer.head + answer.text).not.toContain('evil.example')
    expect(answer.head.toLowerCase()).not.toContain('access-control-allow')
  })
})
