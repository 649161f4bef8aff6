import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UserDirectory } from '../../../packages/simulated-freeswitch/directory/user-directory.ts'
import { httpDirectory } from '../../../local/platform/engine-lookups.ts'
import { recordedDirectory } from '../../support/engine/simulator-harness.ts'

interface Received {
  readonly head: string
  readonly headers: IncomingMessage['headers']
  readonly form: URLSearchParams
}

let server: Server
let received: Received[]
let answer: { status: number; body: string; location?: string }
beforeEach(async () => {
  received = []
  answer = { status: 200, body: '' }
  server = createServer((request, response) => void respond(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => new Promise((resolve) => server.close(resolve)))

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray()).toString()
  received.push({ head: `${request.method} ${request.url}`, headers: request.headers, form: new URLSearchParams(body) })
  response.writeHead(answer.status, answer.location === undefined ? {} : { location: answer.location })
  response.end(answer.body)
}

function directory(): UserDirectory {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return new UserDirectory(httpDirectory({ url: `http://127.0.0.1:${port}`, credential: 'käy:7' }), { now: () => 0 })
}

const question = { user: '1000', domain: 'tenant1.example.com', action: 'user_call' } as const

describe('a directory over HTTP', () => {
  test('the simulated engine asks a directory over HTTP like the real one: form-encoded, by POST, with its own credential', async () => {
    await directory().find(question)

    const [request] = received
    expect(request?.head).toBe('POST /engine/directory')
    expect(request?.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/)
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from('engine:käy:7').toString('base64')}`)
    expect(Object.fromEntries(request?.form ?? [])).toMatchObject({
      section: 'directory',
      tag_name: 'domain',
      key_name: 'name',
      key_value: 'tenant1.example.com',
      action: 'user_call',
      key: 'id',
      user: '1000',
      domain: 'tenant1.example.com',
    })
  })

  test('a directory over HTTP returns a user with the variables of its domain and its own, byte for byte', async () => {
    answer.body = await recordedDirectory({ user: '1002', domain: 'tenant1.example.com' })

    const user = await directory().find({ ...question, user: '1002' })

    expect(user?.login).toBe('1002')
    expect(user?.variables.get('record_stereo')).toBe('true')
    expect(user?.variables.get('effective_caller_id_name')).toBe('ZoÃ« MÃ¼ller')
  })

  test.each([
    [
      'says that it does not know the user',
      200,
      '<document><section><result status="not found"/></section></document>',
    ],
    [
      'answers a user in one line that begins with an XML declaration',
      200,
      '<?xml version="1.0"?><document type="freeswitch/xml"><section name="directory"><domain name="tenant1.example.com"><user id="1000"/></domain></section></document>',
    ],
    ['answers nothing', 200, ''],
    ['answers no XML', 200, '{"result":1}'],
    ['answers broken XML', 200, '<document><section name="directory"><domain'],
    ['fails', 500, '<document/>'],
    ['is not there', 404, 'not found'],
  ])('a directory over HTTP that %s knows no user', async (_what, status, body) => {
    answer = { status, body }

    expect(await directory().find(question)).toBeUndefined()
  })

  test('a redirect of the directory is not followed, so that the credential is sent nowhere else', async () => {
    answer = { status: 302, body: '', location: '/elsewhere' }

    expect(await directory().find(question)).toBeUndefined()
    expect(received).toHaveLength(1)
  })

  test('a directory over HTTP cannot make the engine expand entities', async () => {
    const bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'
    answer.body =
      bomb + (await recordedDirectory({ user: '1000', domain: 'tenant1.example.com' })).replace('Alice Adams', '&b;')

    const user = await directory().find(question)

    expect(user?.variables.get('effective_caller_id_name') ?? '').not.toContain('aaaaaaaaaa')
  })
})
