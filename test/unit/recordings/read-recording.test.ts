import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { handler as readRecording } from '../../../functions/recordings/read-recording.ts'
import { aFileBody, manyBytes } from '../../support/processes/file-bodies.ts'
import { opened } from '../../support/processes/opened.ts'
import { openRecordingHarness } from '../../support/platform/recordings-harness.ts'
import { aRecording, aStoredObject } from '../../support/records/records.ts'

const harness = opened(openRecordingHarness)
const follow = (answer: { readonly headers: Readonly<Record<string, string>> }, headers = {}) =>
  fetch(answer.headers['Location'] ?? '', { headers })
const mebibyte = 1024 * 1024

it('reading a recording redirects the client to a link with its type, which must not be cached', async () => {
  const { uuid } = await harness().recorded()

  const answer = await harness().ask(uuid)
  const followed = await follow(answer)

  expect([answer.status, answer.text]).toEqual([302, ''])
  expect(answer.headers).toMatchObject({ 'Cache-Control': 'private, no-store' })
  expect([followed.status, await followed.text()]).toEqual([200, 'sound'])
  expect(Object.fromEntries(followed.headers)).toMatchObject({
    'content-type': 'audio/wav',
    'content-disposition': 'inline',
    'cache-control': 'private, no-store',
    'content-length': '5',
  })
})

it('a link returns a requested part of the recording, and refuses a range without bytes', async () => {
  const { uuid } = await harness().recorded({ content: '0123456789' })
  const answer = await harness().ask(uuid)

  const [part, end, none] = await Promise.all(
    ['bytes=2-4', 'bytes=-2', 'bytes=10-'].map((range) => follow(answer, { range })),
  )

  expect([part?.status, await part?.text(), part?.headers.get('content-range')]).toEqual([206, '234', 'bytes 2-4/10'])
  expect([end?.status, await end?.text()]).toEqual([206, '89'])
  expect([none?.status, none?.headers.get('content-range')]).toEqual([416, 'bytes */10'])
})

it('reading a recording returns the link as JSON to a client that accepts JSON and no audio', async () => {
  const { uuid } = await harness().recorded()
  const before = Date.now()

  const answer = await harness().ask(uuid, { headers: { accept: 'application/json' } })

  const { url, ...answered } = answer.body
  expect([answer.status, answered]).toEqual([200, { expires: expect.any(Number), contentType: 'audio/wav', size: 5 }])
  expect(answered.expires - before).toBeGreaterThan(298_000)
  expect(answered.expires - before).toBeLessThanOrEqual(301_000)
  expect(answer.headers).toMatchObject({ 'Cache-Control': 'private, no-store', 'Content-Type': 'application/json' })
  expect(await (await fetch(url)).text()).toBe('sound')
})

it.each([
  ['application/json, text/plain, */*', 302],
  ['audio/*, application/json', 302],
  ['text/html', 302],
  ['*/*;q=0, application/json', 200],
  ['audio/wav;q=0, application/json, */*', 200],
])('reading a recording answers a client that accepts %s with %i', async (accept, status) => {
  const { uuid } = await harness().recorded()

  expect((await harness().ask(uuid, { headers: { accept } })).status).toBe(status)
})

it('reading a recording with redirect=false returns the bytes themselves, up to 4 MiB and no more', async () => {
  const [most, more] = [
    await harness().recorded({ content: manyBytes(4 * mebibyte) }),
    await harness().recorded({ content: manyBytes(4 * mebibyte + 1) }),
  ]

  const given = await harness().ask(most.uuid, { query: 'redirect=false&file_name=call.wav' })
  const refused = await harness().ask(more.uuid, { query: 'redirect=false' })

  expect([given.status, given.bytes.equals(manyBytes(4 * mebibyte))]).toEqual([200, true])
  expect(given.headers).toMatchObject({
    'Content-Type': 'audio/wav',
    'Content-Disposition': `attachment; filename="call.wav"; filename*=UTF-8''call.wav`,
    'Cache-Control': 'private, no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  expect(refused).toMatchObject({
    status: 400,
    body: { code: 'bad_request', info: expect.stringContaining('4194304') },
  })
  expect((await harness().ask(more.uuid, { query: 'redirect=true' })).status).toBe(302)
})

it.each(['redirect=no', 'redirect=', 'type=audio', 'type=', 'type=audio/wav;x', 'name=', `name=${'n'.repeat(256)}`])(
  'refuses the query %s',
  async (query) => {
    const { uuid } = await harness().recorded()

    expect(await harness().ask(uuid, { query })).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
  },
)

it('reading a recording chooses the oldest sound, or the one of the requested name or type', async () => {
  const uuid = randomUUID()
  const at = Date.UTC(2026, 0, 15, 12)
  await harness().recorded({ uuid, name: 'second.wav', startedAt: at + 2, content: 'second' })
  await harness().recorded({ uuid, name: 'film.mp4', startedAt: at, contentType: 'video/mp4', content: 'film' })
  await harness().recorded({ uuid, name: 'first.wav', startedAt: at + 1, content: 'first' })
  await harness().api.ports.recordings.expect(aRecording({ uuid, id: 'later', startedAt: at - 1 }))
  const chosen = async (query: string) =>
    (await harness().ask(uuid, { query: `redirect=false&${query}` })).bytes.toString()

  expect(await chosen('')).toBe('first')
  expect(await chosen('name=second.wav')).toBe('second')
  expect(await chosen('type=video/mp4')).toBe('film')
  expect(await chosen('type=AUDIO/WAV&name=first.wav')).toBe('first')
  expect((await harness().ask(uuid, { query: 'name=film.mp4' })).status).toBe(404)
  expect((await harness().ask(uuid, { query: 'type=audio/mpeg' })).status).toBe(404)
  expect((await harness().ask(uuid, { query: 'name=call.wav' })).status).toBe(404)
})

it('reading a file that is not a recording returns plain bytes, whatever its stated type', async () => {
  const { uuid } = await harness().recorded({ contentType: 'audio/x-script' })

  expect((await follow(await harness().ask(uuid))).headers.get('content-type')).toBe('application/octet-stream')
})

it('reading all recordings of a call lists them with their states', async () => {
  const uuid = randomUUID()
  const stored = await harness().recorded({ uuid, name: 'a.wav', startedAt: 3 })
  const [expected, failed, deleted] = ['b', 'c', 'd'].map((id, index) =>
    aRecording({ uuid, id, name: `${id}.wav`, startedAt: index }),
  )
  const { recordings } = harness().api.ports
  for (const one of [expected, failed, deleted]) if (one !== undefined) await recordings.expect(one)
  if (failed !== undefined) await recordings.markFailed(failed, Date.UTC(2026, 0, 15))
  if (deleted !== undefined) await recordings.markDeleted(deleted, Date.UTC(2026, 0, 15))

  const answer = await harness().ask(uuid, { query: 'type=all' })

  expect([answer.status, answer.body]).toEqual([
    200,
    [
      { uuid, name: 'b.wav', createdOn: 0, status: 'expected' },
      { uuid, name: 'c.wav', createdOn: 1, status: 'failed' },
      { uuid, name: 'd.wav', createdOn: 2, status: 'deleted' },
      {
        uuid,
        name: stored.name,
        'content-type': 'audio/wav',
        size: 5,
        createdOn: 3,
        status: 'stored',
        hash: aFileBody('sound').sha256,
      },
    ],
  ])
  expect((await harness().ask(uuid, { query: 'type=all&name=c.wav' })).body).toHaveLength(1)
  expect((await harness().ask(randomUUID(), { query: 'type=all' })).body).toEqual([])
})

it('reading all recordings of a call names what an incomplete one lacks', async () => {
  const recording = aRecording({ uuid: randomUUID() })
  const { recordings } = harness().api.ports
  await recordings.expect(recording)
  await recordings.claim(recording, 'me', { now: 0, until: 1 })
  await recordings.markStored(recording, 'me', { ...aStoredObject(), incomplete: 'it holds 1 ms of 2 ms' })

  const { body } = await harness().ask(recording.uuid, { query: 'type=all' })

  expect(body).toMatchObject([{ status: 'stored', incomplete: true, reason: 'it holds 1 ms of 2 ms' }])
})

it('reading recordings shows a user only their own calls, and neither lists nor returns those of others', async () => {
  const uuid = randomUUID()
  await harness().recorded({ uuid, name: 'mine.wav', startedAt: 2 })
  await harness().recorded({ uuid, name: 'other.wav', presenceId: '1001@a.example.com', startedAt: 1 })
  await harness().recorded({ uuid, name: 'nobody.wav', presenceId: undefined, startedAt: 0 })
  const ask = (query: string) =>
    harness().api.call(readRecording, { params: { uuid }, headers: harness().user, query: `${query}&redirect=false` })

  expect((await ask('type=all')).body.map(({ name }: { name: string }) => name)).toEqual(['mine.wav'])
  expect((await ask('')).status).toBe(200)
  expect((await ask('name=other.wav')).status).toBe(404)
  expect((await ask('name=nobody.wav')).status).toBe(404)
})

it('reading a recording is audited every time, and its link appears nowhere', async () => {
  const { uuid } = await harness().recorded()
  const { api } = harness()
  const trail = () => api.ports.state.audit.filter(({ path }) => path.endsWith(uuid))

  for (const query of ['', 'redirect=false', 'type=all', 'name=none']) await harness().ask(uuid, { query })

  expect(trail().map(({ method, status, caller, fields }) => [method, status, caller, fields])).toEqual([
    ['GET', 302, '1001@a.example.com', []],
    ['GET', 200, '1001@a.example.com', []],
    ['GET', 200, '1001@a.example.com', []],
    ['GET', 404, '1001@a.example.com', []],
  ])
  expect(JSON.stringify([api.log.lines, api.ports.state.audit])).not.toMatch(/X-Amz|Signature/i)
})
