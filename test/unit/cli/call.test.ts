import { once } from 'node:events'
import { createServer } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { run } from '../../../cli/program.ts'

const uuid = '5f0d3b1e-6d0c-4c8e-9d57-0d8c1d7a4e11'
const ok = (data: unknown) => ({ status: 'OK', data })
const bridge = { uuid, call_uuid: uuid, callstate: 'ACTIVE', application: 'bridge' }
const denied = { status: 'error', code: 'permission_denied', info: 'no', requestId: 'r1' }
const events = (found: readonly object[], isCollected = true) =>
  ok({ events: found, gaps: [], head: 9, next: 9, more: false, isCollected })
const answeredAt = (time: string) => ({
  sequence: 9,
  at: 1,
  name: 'CHANNEL_BRIDGE',
  uuid,
  event: { 'Other-Leg-Channel-Answered-Time': time },
})
const usual = {
  '/api/v2/channels': ok({ row_count: 0, rows: [] }),
  '/api/v2/whoami': {
    id: '1001',
    domain: 'd',
    role: 0,
    roleName: 'user',
    acl: { channels: ['ro'] },
    expires: 1,
    cdr: {},
  },
  '/api/v2/events': events([]),
  [`/api/v2/cdr/${uuid}/b`]: ok([]),
}

/** Runs a call at a platform with an answer for each path; a refusal is 403. */
async function call(answers: Readonly<Record<string, object>>, words: readonly string[] = [], stop?: string) {
  const ended = new AbortController()
  const asked: string[] = []
  await using server = await listening(({ method, url = '' }) => {
    asked.push(url)
    const [path = ''] = url.split('?')
    if (path === stop && method === 'GET') ended.abort()
    return method === 'POST' ? { status: 'OK', info: `+OK ${uuid}` } : { ...usual, ...answers }[path]
  })
  let [stdout, stderr] = ['', '']
  const exitCode = await run(['call', '1002', ...words], {
    stdin: new PassThrough(),
    stdout: { write: (text, done) => ((stdout += String(text)), done?.()) },
    stderr: { write: (text) => (stderr += String(text)) },
    env: { CALLPLANE_URL: server.url, CALLPLANE_TOKEN: 't' },
    platform: 'linux',
    home: '/nonexistent',
    signal: ended.signal,
  })
  return { exitCode, stdout, stderr, asked }
}

async function listening(answerTo: (request: { method?: string; url?: string }) => object | undefined) {
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request
    const answer = answerTo({ method, url })
    response.writeHead(answer === undefined ? 404 : answer === denied ? 403 : 200)
    response.end(JSON.stringify(answer ?? { status: 'error', code: 'not_found', info: 'no', requestId: 'r1' }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return { url, [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) }
}

const live = { '/api/v2/channels': ok({ row_count: 1, rows: [bridge] }) }
const record = (fields: object) => ({
  [`/api/v2/cdr/${uuid}`]: ok({ uuid, hangup_cause: 'NORMAL_CLEARING', ...fields }),
})

it('a user who sees the own leg alone is told of the answer', async () => {
  const { exitCode, stdout, asked } = await call({
    ...live,
    '/api/v2/events': events([answeredAt('1795217667212713')]),
  })

  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/ringing 1002 … answered after [\d.]+ s\n$/)])
  expect(asked.at(-1)).toMatch(new RegExp(`^/api/v2/events\\?.*call=${uuid}.*name=CHANNEL_BRIDGE`))
})

it.each([
  ['events are not collected', events([], false)],
  ['the bridge has early media alone', events([answeredAt('0')])],
  ['the role may not read events', denied],
])('a call is not followed where %s, which is no success', async (_why, found) => {
  const { exitCode, stdout, stderr } = await call({ ...live, '/api/v2/events': found }, ['--json'])

  expect([exitCode, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ uuid, result: 'not_followed' })])
  expect(stderr).toContain(`1002: not followed, since your role does not see whether it answers`)
  expect(stderr).toContain(`callplane hangup ${uuid}`)
})

it('a call is not followed by a role that may not list channels', async () => {
  const { exitCode, stdout } = await call({ '/api/v2/channels': denied }, ['--json'])

  expect([exitCode, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ uuid, result: 'not_followed' })])
})

it('a call that ended in the usual way without an answer is no success', async () => {
  const { exitCode, stderr } = await call(record({}))

  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining('1002: ended (NORMAL_CLEARING), and was not seen to answer'),
  ])
})

it('the cause of the other side is told where the own leg has ended in the usual way', async () => {
  const { exitCode, stderr } = await call(record({ originate_disposition: 'USER_BUSY' }))

  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('1002: busy (USER_BUSY)')])
})

it.each([[{ billsec: 3 }], [{ billsec: 0, variables: { endpoint_disposition: 'ANSWER' } }]])(
  'a call whose other side was answered by its record %o is a success',
  async (other) => {
    const answers = { ...record({ originate_disposition: 'SUCCESS' }), [`/api/v2/cdr/${uuid}/b`]: ok([other]) }
    const { exitCode, stdout } = await call(answers)

    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('answered and ended (NORMAL_CLEARING)')])
  },
)

it('the record of an ended call that the role may not read is not awaited', async () => {
  const { exitCode, stderr } = await call({ [`/api/v2/cdr/${uuid}`]: denied })

  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('1002: ended, and your role may not read its record')])
})

it.each([
  ['Ctrl-C', live, '/api/v2/channels', 130],
  ['a failed look', { '/api/v2/channels': ok(undefined) }, undefined, 1],
])('the id of a live call is printed as JSON after %s', async (_why, answers, stop, status) => {
  const { exitCode, stdout } = await call(answers, ['--json'], stop)

  expect([exitCode, JSON.parse(stdout)]).toEqual([status, expect.objectContaining({ uuid, result: 'not_followed' })])
})
