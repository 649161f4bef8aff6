import { describe, expect, test } from 'vitest'
import { handler } from '../../../functions/engine/take-cdr.ts'
import { type ApiRequest, anApi } from '../../support/platform/api.ts'
import { type RecordedPost, recordedPost, recordedPosts } from '../../support/records/recorded-cdrs.ts'
import { engineAuthorization } from '../../support/platform/engine-credential.ts'

/** Content types that the gateway hands over as text; bodies of any other come in base64. */
const textTypes = /^(?:text\/|application\/json)/

const api = () => {
  const made = anApi()
  const { authorization } = engineAuthorization(made.ports.secrets.engine)
  const post = (request: ApiRequest) =>
    made.call(handler, {
      ...request,
      headers: { 'content-type': 'application/json', authorization, ...request.headers },
    })
  return { ...made, post }
}

/** A recorded post as the gateway hands it over, with the credential of this platform. */
function asSent({ uuid, headers, body }: RecordedPost): ApiRequest {
  const contentType = headers['content-type'] ?? ''
  const base64 = !textTypes.test(contentType)
  return {
    query: `uuid=${uuid}`,
    rawBody: body.toString(base64 ? 'base64' : 'utf8'),
    base64,
    headers: { 'content-type': contentType },
  }
}

const aPost = (uuid: string, given: object = {}): ApiRequest => ({
  query: `uuid=${uuid}`,
  body: { variables: { uuid, ...given } },
})

describe('CDR posts of an engine', () => {
  test.each(recordedPosts().map((post) => [post.name, post] as const))(
    'the posted CDR %s is queued',
    async (_name, recorded) => {
      const { post, ports } = api()

      expect(await post(asSent(recorded))).toMatchObject({ status: 200, body: { status: 'OK', info: 'Queued.' } })

      expect(ports.cdrQueue.queued).toMatchObject([
        {
          kind: 'post',
          uuid: recorded.uuid,
          fields: { 'Unique-ID': recorded.uuid, 'Call-Direction': expect.any(String) },
        },
      ])
    },
  )

  test('a repeated CDR post is queued once', async () => {
    const { post, ports } = api()

    for (const name of ['http-500-retries-1', 'http-500-retries-2', 'http-500-retries-3']) {
      expect(await post(asSent(recordedPost(name)))).toMatchObject({ status: 200 })
    }

    expect(ports.cdrQueue.queued).toHaveLength(1)
  })

  test('the CDR posts of the two legs of a call are both queued', async () => {
    const { post, ports } = api()

    await post(asSent(recordedPost('bridged-hangup-by-caller-1')))
    await post(asSent(recordedPost('bridged-hangup-by-caller-2')))

    expect(ports.cdrQueue.queued).toHaveLength(2)
  })

  test("the uuid in the query of a CDR post may have the engine's prefix of a leg", async () => {
    const { post, ports } = api()

    expect(await post({ ...aPost('leg-1'), query: 'uuid=a_LEG-1' })).toMatchObject({ status: 200 })

    expect(ports.cdrQueue.queued).toMatchObject([{ uuid: 'leg-1' }])
  })

  test.each([
    ['another uuid than that of the body', { ...aPost('leg'), query: 'uuid=other' }, 'invalid_field'],
    ['no uuid in the query', { ...aPost('leg'), query: '' }, 'missing_field'],
    ['a uuid that is too long', aPost('u'.repeat(129)), 'invalid_field'],
    ['no JSON', { query: 'uuid=leg', rawBody: 'variables' }, 'invalid_json'],
    ['no body', { query: 'uuid=leg' }, 'invalid_json'],
    ['no CDR', { query: 'uuid=leg', body: { uuid: 'leg' } }, 'invalid_field'],
    ['the credential of an engine in the body', { query: 'uuid=leg', body: { password: 'x' } }, 'invalid_field'],
  ] as const)('%s is refused, and nothing is queued', async (_what, request: ApiRequest, code) => {
    const { post, ports } = api()

    expect(await post(request)).toMatchObject({ status: 400, body: { code } })
    expect(ports.cdrQueue.queued).toEqual([])
  })

  test('a CDR post of one MiB is accepted, and a longer one is refused', async () => {
    const { post, ports } = api()
    const bare = JSON.stringify({ variables: { uuid: 'leg', note: '' } }).length
    const sized = (bytes: number) => aPost('leg', { note: 'x'.repeat(bytes - bare) })

    expect(await post(sized(1024 * 1024))).toMatchObject({ status: 200 })
    expect(await post(sized(1024 * 1024 + 1))).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
    expect(ports.cdrQueue.queued).toHaveLength(1)
  })

  test.each([
    ['none', {}],
    ['a wrong one', engineAuthorization('wrong')],
    ['that of a tenant', { 'x-access-token': 'a.b.c', 'x-key': 'k' }],
  ])("the credential has to be the engine's: %s is refused", async (_what, headers) => {
    const made = anApi()

    expect(await made.call(handler, { ...aPost('leg'), headers })).toMatchObject({ status: 401 })
    expect(made.ports.cdrQueue.queued).toEqual([])
  })

  test('a CDR post that the queue refuses gets an error, so that the engine tries again', async () => {
    const { post, ports } = api()
    ports.cdrQueue.refuses = () => true

    expect(await post(aPost('leg'))).toMatchObject({ status: 503, body: { code: 'store_unavailable' } })
  })

  test.each([
    '<script>alert(1)</script>',
    '"}],"script":{"source":"x"}',
    '{"match_all":{}}',
    '../../_cluster/settings',
    '${jndi:ldap://x}',
    "' OR 1=1 --",
    '\r\nX-Injected: 1',
    '\u0000\u0001',
  ])('a value that means something elsewhere is a value: %j', async (value) => {
    const { post, ports } = api()

    expect(await post(aPost('leg', { note: value }))).toMatchObject({ status: 200 })

    expect(ports.cdrQueue.queued).toMatchObject([{ fields: { variable_note: value } }])
  })
})
