import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { handler as createHooks } from '../../../functions/hooks/create-hooks.ts'
import { handler as listHooks } from '../../../functions/hooks/list-hooks.ts'
import { type Api, type ApiAnswer, anApi } from '../../support/platform/api.ts'
import { aHookInput } from '../../support/records/hook-input.ts'
import { aHook } from '../../support/records/records.ts'

let api: Api
let headers: Record<string, string>

beforeEach(async () => {
  api = anApi()
  headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
})

const create = (body: unknown, query = ''): Promise<ApiAnswer> => api.call(createHooks, { headers, body, query })
const list = (query = ''): Promise<ApiAnswer> => api.call(listHooks, { headers, query })

describe('the list', () => {
  it.each([
    ['of two bytes each', 'č', 100],
    ['that are escaped', '"', 30],
  ])(
    'a list of hooks too large for one answer is cut, and goes on after its cursor: characters %s',
    async (_name, letter, count) => {
      const rawBody = JSON.stringify(letter.repeat(32_000))
      const hooks = Array.from({ length: count }, () => aHook({ customBody: true, rawBody }))
      await api.ports.hooks.create(hooks, 100)

      const first = await list()
      const second = await list(`cursor=${first.headers['X-Next-Cursor']}`)

      expect(first.headers).toMatchObject({ 'X-Truncated': 'true' })
      expect(Buffer.byteLength(JSON.stringify(first.text))).toBeLessThan(6_000_000)
      const ids = [first, second].flatMap(({ body }) => body.data.map(({ _id }: { _id: string }) => _id))
      expect(ids).toHaveLength(count)
      expect(new Set(ids)).toEqual(new Set(hooks.map(({ id }) => id)))
      expect(second.headers).not.toHaveProperty('X-Next-Cursor')
    },
  )
})

describe('create', () => {
  it('creating hooks answers 200 with the hooks as the list then shows them', async () => {
    const created = await create(aHookInput({ event: 'CHANNEL_ANSWER', description: 'd', delay: 5 }))

    const listed = await list()

    expect([created.status, listed.status]).toEqual([200, 200])
    expect(listed.body.data).toEqual(created.body.data.ops)
    expect(created.body.data.ops[0]).toMatchObject({ domain: 'a.example.com', event: 'CHANNEL_ANSWER', delay: 5 })
  })

  it('creating hooks accepts a list of hooks', async () => {
    const { status, body } = await create([aHookInput(), aHookInput({ event: 'DTMF' })])

    expect(status).toBe(200)
    expect(body.data).toMatchObject({ insertedCount: 2, result: { ok: 1, n: 2 } })
    expect(body.data.ops.map(({ event }: { event: string }) => event)).toEqual(['CHANNEL_CREATE', 'DTMF'])
  })

  it.each([
    [0, 'the body must hold at least one hook'],
    [21, 'the body must hold at most 20 hooks'],
  ])('creating a list of %i hooks says how many may be in it', async (length, info) => {
    const answer = await create(Array.from({ length }, () => aHookInput()))

    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_json', info } })
  })

  it('creating a hook ignores fields that callers may not set', async () => {
    const { body } = await create({ ...aHookInput(), _id: 'f'.repeat(24), domain: 'a.example.com', secrets: ['mine'] })

    expect(body.data.insertedIds).not.toContain('f'.repeat(24))
    expect(body.data.ops[0]).not.toHaveProperty('secrets')
  })

  it('creating a hook logs neither secret nor URL, and audits the names of the fields', async () => {
    const { body } = await create(aHookInput({ headers: { Authorization: 'Bearer planted-secret' } }))

    const [secret = ''] = Object.values<string>(body.data.secrets)
    const logged = JSON.stringify(api.log.lines)
    for (const planted of [secret.slice('whsec_'.length), 'planted-secret', 'receiver.example.com']) {
      expect(logged).not.toContain(planted)
      expect(JSON.stringify(api.ports.state.audit)).not.toContain(planted)
    }
    expect(api.ports.state.audit).toMatchObject([{ fields: ['action', 'event', 'headers'] }])
  })
})

describe('a bad hook is 400 with the field named, and nothing is written', () => {
  const action = aHookInput().action

  it.each<[string, string, unknown]>([
    ['event', 'event', { ...aHookInput(), event: 'ALL' }],
    ['no event', 'event', { action }],
    ['no action', 'action', { event: 'DTMF' }],
    ['another type', 'action.type', { ...aHookInput(), action: { ...action, type: 'mail' } }],
    ['a number as method', 'action.method', { ...aHookInput(), action: { ...action, method: 1 } }],
    ['no URL', 'action.url', { ...aHookInput(), action: { type: 'web', method: 'POST' } }],
    ['enable as a number', 'enable', { ...aHookInput(), enable: 0 }],
    ['fields as text', 'fields', { ...aHookInput(), fields: 'x' }],
    ['an object among fields', 'fields[0]', { ...aHookInput(), fields: [{}] }],
    ['map as a list', 'map', { ...aHookInput(), map: [] }],
    ['a header that is no text', 'headers.X-A', { ...aHookInput(), headers: { 'X-A': 1 } }],
    ['an operation', 'filter.a.operation', { ...aHookInput(), filter: { a: { operation: '=~', value: 1 } } }],
    ['no value', 'filter.a.value', { ...aHookInput(), filter: { a: { operation: '==' } } }],
    ['a pattern', 'filter.a.value', { ...aHookInput(), filter: { a: { operation: 'reg', value: '(' } } }],
    ['retries above ten', 'retries', { ...aHookInput(), retries: 11 }],
    ['a delay of nothing', 'delay', { ...aHookInput(), delay: 0 }],
    ['customBody without rawBody', 'rawBody', { ...aHookInput(), customBody: true }],
    ['auth without URL', 'auth.url', { ...aHookInput(), auth: { enabled: true } }],
    ['the second of two', '[1].event', [aHookInput(), aHookInput({ event: 'x' })]],
    ['the second of two by its type', '[1].enable', [aHookInput(), { ...aHookInput(), enable: 'yes' }]],
  ])('%s', async (_title, field, body) => {
    const answer = await create(body)

    expect(answer.status).toBe(400)
    expect(answer.body.details).toContainEqual({ field, problem: expect.any(String) })
    expect(api.ports.state.hooks.size).toBe(0)
  })

  it.each(['{"__proto__":{}}', '{"filter":{"__proto__":{}}}', '{"map":{"__proto__":"a"}}', '[]', 'null', '7', ''])(
    'the body %s',
    async (rawBody) => {
      const answer = await api.call(createHooks, {
        headers: { ...headers, 'content-type': 'application/json' },
        rawBody,
      })

      expect(answer.status).toBe(400)
      expect(api.ports.state.hooks.size).toBe(0)
    },
  )

  const urls = Object.values(
    JSON.parse(readFileSync(new URL('../../fixtures/bad-inputs/hook-urls.json', import.meta.url), 'utf8')) as Record<
      string,
      string[]
    >,
  ).flat()

  it.each(urls)('a hook with the URL %s is refused, and nothing is written', async (url) => {
    const { status, body } = await create(aHookInput({ action: { ...action, url } }))

    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'invalid_field', details: [{ field: 'action.url' }] })
    expect(api.ports.state.hooks.size).toBe(0)
  })
})

describe('where the deployment allows loopback', () => {
  const local = aHookInput({ action: { type: 'web', method: 'POST', url: 'http://127.0.0.1:9000/' } })

  it('a hook may point to loopback if the deployment allows it', async () => {
    api = anApi({ HOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' })
    headers = { ...(await api.as(await api.account({ role: 'admin' }))) }

    expect((await create(local)).status).toBe(200)
  })

  it('a hook may name loopback only if the deployment allows it', async () => {
    expect((await create(local)).status).toBe(400)
  })
})
