import { describe, expect, it } from 'vitest'
import { Client, type ClientOptions } from '../../../client/index.ts'
import { anApi, passwordOf } from '../../support/platform/api.ts'
import { memoryFetch } from '../../support/platform/memory-fetch.ts'

const url = 'https://api.test'

const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ status: 'error', info: 'no', code, requestId: 'r' }, { status, headers })

/** A client whose attempts get some answers one after another, then successes; its waits end at once. */
function scripted(answers: readonly (Response | Error)[], options: Partial<ClientOptions> = {}) {
  const requests: RequestInit[] = []
  const waits: number[] = []
  const rest = [...answers]
  const fetch = async (_: string, init: RequestInit = {}) => {
    requests.push(init)
    const next = rest.shift() ?? Response.json({ status: 'OK' })
    if (next instanceof Error) throw next
    return next
  }
  const retryDeps = {
    random: () => 0.5,
    pause: async (ms: number, signal: AbortSignal | undefined) => {
      signal?.throwIfAborted()
      waits.push(ms)
    },
  }
  return { requests, waits, client: new Client({ url, fetch, retryDeps, ...options }) }
}

const keysOf = (requests: readonly RequestInit[]) =>
  requests.map(({ headers }) => new Headers(headers).get('idempotency-key'))
const lost = () => new TypeError('fetch failed')
const call = { body: { callerId: '1001', calledId: '9196' } }
const params = { channel_id: '11111111-2222-4333-8444-555555555555' }

describe('which calls are repeated', () => {
  it('a POST whose response was lost is repeated with the same Idempotency-Key and body', async () => {
    const { client, requests } = scripted([lost(), lost()])

    await client.call('originateCall', call)

    const [key, ...others] = keysOf(requests)
    expect(key).toMatch(/^[0-9a-f-]{36}$/)
    expect(others).toEqual([key, key])
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1)
  })

  it('each call has a new Idempotency-Key unless the caller gives one', async () => {
    const { client, requests } = scripted([])

    await client.call('originateCall', call)
    await client.call('originateCall', call)
    await client.call('originateCall', { ...call, idempotencyKey: 'mine' })

    const [first, second, third] = keysOf(requests)
    expect(first).not.toBe(second)
    expect(third).toBe('mine')
  })

  it('a GET is repeated without an Idempotency-Key', async () => {
    const { client, requests } = scripted([refusal(503, 'store_unavailable'), lost()])

    await client.call('listChannels')

    expect(keysOf(requests)).toEqual([null, null, null])
  })

  it.each([
    ['PUT', (client: Client) => client.call('holdChannel', { params, body: { state: 'hold' } })],
    ['DELETE', (client: Client) => client.call('hangUpChannel', { params })],
    ['POST without a key', (client: Client) => client.call('searchCdrs', { body: { query: '' } })],
    ['login', (client: Client) => client.call('logIn', { body: { username: 'root', password: 'p' } })],
  ])('a %s is never repeated', async (_, make) => {
    const { client, requests } = scripted([lost()])

    await expect(make(client)).rejects.toMatchObject({ code: 'unreachable', status: 0 })

    expect(requests).toHaveLength(1)
  })

  it.each([
    [500, 'internal_error'],
    [504, 'outcome_unknown'],
    [504, 'engine_timeout'],
    [409, 'conflict'],
    [409, 'idempotency_conflict'],
    [429, 'locked_out'],
  ])('an answer %i %s is final', async (status, code) => {
    const { client, requests } = scripted([refusal(status, code)])

    await expect(client.call('originateCall', call)).rejects.toMatchObject({ code, status })

    expect(requests).toHaveLength(1)
  })

  it.each([
    [409, 'in_progress'],
    [429, 'rate_limited'],
    [503, 'engine_unavailable'],
  ])('a call answered %i %s is repeated', async (status, code) => {
    const { client, requests } = scripted([refusal(status, code)])

    await client.call('originateCall', call)

    expect(requests).toHaveLength(2)
  })

  it('an account whose creation was not answered is created once', async () => {
    const api = anApi()
    await api.account({ login: '1000', role: 'admin' })
    const { fetch, sent } = memoryFetch(api)
    let isLost = true
    const lossy = async (address: string, init?: RequestInit) => {
      const answer = await fetch(address, init)
      if (!address.endsWith('/accounts') || !isLost) return answer
      isLost = false
      throw lost()
    }
    const login = { username: '1000@a.example.com', password: passwordOf('1000') }
    const client = new Client({ url, fetch: lossy, login, retryDeps: { random: () => 0, pause: async () => {} } })

    const created = await client.call('createAccount', {
      body: { login: '1001', password: 's3cr3t-one', role: 'user' },
    })

    expect(created.status).toBe('OK')
    expect(sent.filter(({ path }) => path === '/api/v2/accounts')).toHaveLength(2)
  })
})

describe('waits', () => {
  it('the wait between attempts doubles from 200 ms, less up to half of it by chance, and no fifth attempt is made', async () => {
    const { client, waits, requests } = scripted(Array.from({ length: 9 }, lost))

    await expect(client.call('listChannels')).rejects.toMatchObject({ code: 'unreachable' })

    expect(waits).toEqual([150, 300, 600])
    expect(requests).toHaveLength(4)
  })

  it('the longest wait between attempts is 5 s, less up to half of it', async () => {
    const { client, waits } = scripted(Array.from({ length: 9 }, lost), { retries: 8 })

    await expect(client.call('listChannels')).rejects.toMatchObject({ code: 'unreachable' })

    expect(waits.slice(-3)).toEqual([3750, 3750, 3750])
  })

  it('a Retry-After is honoured, and chance adds to it', async () => {
    const { client, waits } = scripted([refusal(429, 'rate_limited', { 'retry-after': '3' })])

    await client.call('listChannels')

    expect(waits).toEqual([3150])
  })

  it('a Retry-After above 30 s ends the attempts and is reported to the caller', async () => {
    const { client, waits } = scripted([refusal(429, 'rate_limited', { 'retry-after': '31' })])

    await expect(client.call('listChannels')).rejects.toMatchObject({ retryAfterSeconds: 31 })

    expect(waits).toEqual([])
  })

  it('a client without retries throws the first failure', async () => {
    const { client, requests } = scripted([lost()], { retries: 0 })

    await expect(client.call('listChannels')).rejects.toMatchObject({ code: 'unreachable' })

    expect(requests).toHaveLength(1)
  })
})

describe('ending a call', () => {
  it('a signal ends the attempt under way with its own reason', async () => {
    const controller = new AbortController()
    const reason = new Error('the user left')
    const fetch = (_: string, init: RequestInit = {}) =>
      new Promise<Response>((_resolve, reject) => {
        init.signal?.addEventListener('abort', () => reject(reason))
        controller.abort(reason)
      })

    const ended = new Client({ url, fetch }).call('listChannels', { signal: controller.signal })

    await expect(ended).rejects.toBe(reason)
  })

  it('a signal ends the wait before the next attempt with its own reason', async () => {
    const controller = new AbortController()
    const reason = new Error('the user left')
    const requests: string[] = []
    const fetch = async (address: string) => {
      requests.push(address)
      queueMicrotask(() => setImmediate(() => controller.abort(reason)))
      return refusal(503, 'store_unavailable', { 'retry-after': '30' })
    }

    const ended = new Client({ url, fetch }).call('listChannels', { signal: controller.signal })

    await expect(ended).rejects.toBe(reason)
    expect(requests).toHaveLength(1)
  })
})
