import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { CommandOutcome, EngineCommand } from '../../../core/commands/commands.ts'
import { handler as eavesdropChannel } from '../../../functions/channels/eavesdrop-channel.ts'
import { handler as originateCall } from '../../../functions/channels/originate-call.ts'
import { anApi } from '../../support/platform/api.ts'
import { aKnownCall } from '../../support/records/records.ts'

/** A domain whose engine has the channels that a test says are up. */
async function setUp(rateLimits = 'off') {
  const api = anApi({ RATE_LIMITS: rateLimits })
  const admin = await api.account({ login: '1000', role: 'admin' })
  const up = new Set<string>()
  const outcome: { next: (uuid: string) => CommandOutcome | undefined } = {
    next: (uuid) => {
      up.add(uuid)
      return { state: 'done', text: `+OK ${uuid}\n` }
    },
  }
  api.ports.engine.answer = (command: EngineCommand) => {
    if (command.kind !== 'list-channels') return outcome.next('uuid' in command ? command.uuid : '')
    const rows = [...up].map((uuid) => ({ uuid }))
    return { state: 'done', text: JSON.stringify({ row_count: rows.length, rows }) }
  }
  // One credential for all calls: a user has fifty at most.
  const credential = await api.as(admin)
  const call = async (domain = 'a.example.com') => {
    const elsewhere = async () => api.as(await api.account({ domain, login: '1000', role: 'admin' }))
    const headers = domain === 'a.example.com' ? credential : await elsewhere()
    return api.call(originateCall, { body: { calledId: '9196' }, headers: { ...headers } })
  }
  const listen = () =>
    api.call(eavesdropChannel, { params: { channel_id: randomUUID() }, body: {}, headers: { ...credential } })
  const calls = async (count: number) => {
    const statuses = []
    for (let index = 0; index < count; index += 1) statuses.push((await call()).status)
    return statuses
  }
  const dialled = () => api.ports.engine.given.filter(({ command }) => command.kind === 'originate').length
  const placed = async () => (await api.ports.knownCalls.listPlaced('a.example.com')).map(({ uuid }) => uuid)
  const counted = async () => (await placed()).length
  return { api, up, outcome, call, calls, listen, dialled, placed, counted }
}

describe('a domain with fifty calls up that the API placed', () => {
  it('a domain with fifty API calls gets no further one, and nothing is dialled', async () => {
    const { api, call, calls, dialled } = await setUp()
    await calls(50)
    api.clock.move(200_000)

    expect(await call()).toMatchObject({
      status: 429,
      body: { code: 'rate_limited' },
      headers: {
        'Retry-After': '5',
        'RateLimit-Limit': '50',
        'RateLimit-Remaining': '0',
        'RateLimit-Reset': '5',
      },
    })
    expect(dialled()).toBe(50)
  })

  it('a domain with fifty API calls is refused because of that limit and not because of its request rate', async () => {
    const { api, call, calls } = await setUp('token=100/s:100')
    await calls(50)
    api.clock.move(200_000)

    expect((await call()).headers).toMatchObject({ 'RateLimit-Limit': '50', 'RateLimit-Remaining': '0' })
  })

  it('a domain with fifty API calls gets another one when one of them has ended', async () => {
    const { api, up, call, calls } = await setUp()
    await calls(50)
    api.clock.move(10_000)
    up.delete([...up][7] ?? '')

    expect((await call()).status).toBe(200)
    expect((await call()).status).toBe(429)
  })

  it('a domain with fifty API calls does not limit another domain', async () => {
    const { call, calls } = await setUp()
    await calls(50)

    expect((await call('b.example.com')).status).toBe(200)
  })

  it('a domain with fifty API calls gets no further one when the engine returns no list of ended ones', async () => {
    const { api, calls, call, dialled } = await setUp()
    await calls(50)
    api.ports.engine.answer = () => ({ state: 'unsent', reason: 'disconnected' })

    expect(await call()).toMatchObject({ status: 503, body: { code: 'engine_unavailable' } })
    expect(dialled()).toBe(50)
  })
})

describe('calls that connectors have heard of', () => {
  it('a domain with fifty API calls gets another one as soon as a connector has heard the end of one, without a list of the engine', async () => {
    const { api, up, call, calls } = await setUp()
    await calls(50)
    const leg = aKnownCall({ uuid: [...up][7] ?? '', domain: 'a.example.com' })
    await api.ports.knownCalls.put(leg)
    expect((await call()).status).toBe(429)
    api.ports.engine.answer = () => ({ state: 'done', text: '+OK new\n' })

    await api.ports.knownCalls.put({ ...leg, state: 'ended' })

    expect((await call()).status).toBe(200)
    expect((await call()).status).not.toBe(200)
  })

  it('a call that the engine refused stays stored for its end once a connector has heard of it, and does not count', async () => {
    const { api, outcome, call, counted } = await setUp()
    const heard: string[] = []
    outcome.next = (uuid) => {
      heard.push(uuid)
      void api.ports.knownCalls.put(aKnownCall({ uuid, domain: 'a.example.com' }))
      return { state: 'refused', text: '-ERR USER_BUSY' }
    }

    await call()

    expect(await counted()).toBe(0)
    expect((await api.ports.knownCalls.listOf('a.example.com')).map(({ uuid }) => uuid)).toEqual(heard)
  })

  it('of sixty calls that are placed at once exactly fifty are dialled', async () => {
    const { call, dialled, counted } = await setUp()

    const answers = await Promise.all(Array.from({ length: 60 }, () => call()))

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50)
    expect([dialled(), await counted()]).toEqual([50, 50])
  })
})

describe('a domain with fifty calls counted, some of them at an engine that went away', () => {
  const known = (uuid: string) => aKnownCall({ uuid, domain: 'a.example.com' })

  it('a domain with calls at an unreachable engine gets as many new ones as have ended elsewhere, and keeps the others counted', async () => {
    const { api, up, call, calls, placed } = await setUp()
    await calls(50)
    const [first = '', second = '', ...others] = up
    for (const uuid of others) await api.ports.knownCalls.put(known(uuid))
    api.clock.move(10_000)
    const { answer } = api.ports.engine
    api.ports.engine.answer = (command, ...rest) =>
      command.kind === 'list-channels' ? { state: 'unsent', reason: 'disconnected' } : answer(command, ...rest)

    const answers = [await call(), await call()]

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const counted = new Set(await placed())
    expect([counted.has(first), counted.has(second)]).toEqual([false, false])
    expect(others.every((uuid) => counted.has(uuid))).toBe(true)
    expect(counted.size).toBe(50)
  })

  it('a domain with calls at an unreachable engine gets no new one when each of them may be up', async () => {
    const { api, up, call, calls, dialled } = await setUp()
    await calls(50)
    for (const uuid of up) await api.ports.knownCalls.put(known(uuid))
    api.clock.move(10_000)
    api.ports.engine.answer = () => ({ state: 'unsent', reason: 'disconnected' })

    expect(await call()).toMatchObject({ status: 503, body: { code: 'engine_unavailable' } })
    expect(dialled()).toBe(50)
  })
})

describe('a call counts', () => {
  it.each<[string, CommandOutcome | undefined, number]>([
    ['not when the engine refused it', { state: 'refused', text: '-ERR USER_BUSY' }, 0],
    ['not when it was never sent', { state: 'unsent', reason: 'disconnected' }, 0],
    ['while it is pending', undefined, 1],
    ['when its fate is not known', { state: 'unknown', reason: 'disconnected' }, 1],
  ])('a call counts %s', async (_title, given, expected) => {
    const { outcome, call, counted } = await setUp()
    outcome.next = () => given

    await call()

    expect(await counted()).toBe(expected)
  })

  it('a call counts under the uuid that the engine gave it', async () => {
    const { up, outcome, call, placed, counted } = await setUp()
    outcome.next = () => ({ state: 'done', text: '+OK other\n', uuid: 'other' })

    await call()

    expect(await placed()).toEqual(['other'])
    expect(up.size).toBe(0)
    expect(await counted()).toBe(1)
  })

  it('the fiftieth call of a domain counts under the uuid that the engine gave it too', async () => {
    const { outcome, calls, call, placed, counted } = await setUp()
    await calls(49)
    outcome.next = () => ({ state: 'done', text: '+OK other\n', uuid: 'other' })

    await call()

    expect(await placed()).toContain('other')
    expect(await counted()).toBe(50)
  })

  it('a call counts for as long as it may still come up, although the engine does not list it', async () => {
    const { api, outcome, calls, call } = await setUp()
    outcome.next = () => undefined
    await calls(50)

    api.clock.move(149_999)
    expect((await call()).status).toBe(429)
    api.clock.move(1)
    expect((await call()).status).toBe(200)
  })
})

describe('listeners', () => {
  it('listeners count as calls: a domain with fifty calls gets no listener, and nothing is dialled', async () => {
    const { api, calls, listen } = await setUp()
    await calls(50)

    const answer = await listen()

    expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(api.ports.engine.given.filter(({ command }) => command.kind === 'eavesdrop')).toEqual([])
  })

  it('listeners that the engine refused no longer count', async () => {
    const { outcome, listen, counted } = await setUp()
    outcome.next = () => ({ state: 'refused', text: '-ERR USER_BUSY\n' })

    await listen()

    expect(await counted()).toBe(0)
  })

  it('listeners fill the fifty calls of a domain like placed calls', async () => {
    const { listen, call } = await setUp()
    for (let placed = 0; placed < 50; placed += 1) await listen()

    expect((await call()).status).toBe(429)
  })
})
