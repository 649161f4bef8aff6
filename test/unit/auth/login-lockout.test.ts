import { describe, expect, it } from 'vitest'
import { handler as logIn } from '../../../functions/auth/log-in.ts'
import { type Api, anApi, passwordOf } from '../../support/platform/api.ts'

const home = '192.0.2.10'
const attacker = '198.51.100.66'
const alice = { username: 'alice@a.example.com', password: passwordOf('alice') }
const dayMs = 86_400_000

async function setUp() {
  const api = anApi()
  await api.account({ login: 'alice' })
  return { api, root: { username: 'root', password: api.ports.secrets.root } }
}

const attempt = (api: Api, body: { username: string; password: string }, sourceAddress: string) =>
  api.call(logIn, { body, sourceAddress })

const statusOf = async (...given: Parameters<typeof attempt>) => (await attempt(...given)).status

const fail = (api: Api, username: string, from: string) => statusOf(api, { username, password: 's3cr3t-wrong' }, from)

/** Fails so many times, from one network or from one after the other. */
async function failTimes(
  api: Api,
  count: number,
  username: string | ((index: number) => string),
  from: string | ((index: number) => string),
) {
  for (let index = 0; index < count; index += 1) {
    const [name, address] = [username, from].map((one) => (typeof one === 'string' ? one : one(index)))
    await fail(api, name ?? '', address ?? '')
  }
}

/** Addresses of networks of their own. */
const network = (index: number) => `10.${Math.floor(index / 250)}.${index % 250}.1`

describe.each(['alice', 'root'] as const)('the user %s', (name) => {
  const setUpUser = async () => {
    const { api, root } = await setUp()
    return { api, user: name === 'root' ? root : alice }
  }

  it(`${name} logs in from a new network although ten logins failed from another one`, async () => {
    const { api, user } = await setUpUser()
    await failTimes(api, 30, user.username, attacker)

    expect(await statusOf(api, user, home)).toBe(200)
    expect(await statusOf(api, user, attacker)).toBe(429)
  })

  it(`${name} logs in from a network of the last 30 days although a hundred networks failed`, async () => {
    const { api, user } = await setUpUser()
    expect(await statusOf(api, user, home)).toBe(200)
    api.clock.move(30 * dayMs)
    await failTimes(api, 150, user.username, network)

    expect(await statusOf(api, user, '203.0.113.5')).toBe(429)
    expect(await statusOf(api, user, home)).toBe(200)
  })

  it(`${name} is refused after a hundred failures from a network that was used longer ago than 30 days`, async () => {
    const { api, user } = await setUpUser()
    expect(await statusOf(api, user, home)).toBe(200)
    api.clock.move(30 * dayMs + 1)
    await failTimes(api, 100, user.username, network)

    expect(await attempt(api, user, home)).toMatchObject({
      status: 429,
      body: { code: 'locked_out' },
      headers: { 'Retry-After': '900' },
    })
    api.clock.move(15 * 60_000 + 1)
    expect(await statusOf(api, user, home)).toBe(200)
  })

  it(`${name} logs in from a known network that is locked for others after fifty failures`, async () => {
    const { api, user } = await setUpUser()
    expect(await statusOf(api, user, home)).toBe(200)
    await failTimes(api, 50, (index) => `guess${index}@a.example.com`, '192.0.2.77')

    expect(await fail(api, 'another@a.example.com', home)).toBe(429)
    expect(await statusOf(api, user, home)).toBe(200)
  })

  it(`${name} is refused in a known network after ten own failures there, and nowhere else`, async () => {
    const { api, user } = await setUpUser()
    for (const from of [home, attacker]) expect(await statusOf(api, user, from)).toBe(200)
    await failTimes(api, 10, user.username, home)

    expect(await statusOf(api, user, '192.0.2.200')).toBe(429)
    expect(await statusOf(api, user, attacker)).toBe(200)
    expect(await statusOf(api, user, '192.0.3.10')).toBe(200)
  })

  it(`a success of ${name} resets its failures in this network and no other counter`, async () => {
    const { api, user } = await setUpUser()
    await failTimes(api, 9, user.username, attacker)
    await failTimes(api, 9, user.username, home)
    await failTimes(api, 40, (index) => `guess${index}@a.example.com`, home)

    expect(await statusOf(api, user, home)).toBe(200)

    expect(await fail(api, user.username, attacker)).toBe(401)
    expect(await fail(api, user.username, attacker)).toBe(429)
    await failTimes(api, 9, user.username, home)
    expect(await statusOf(api, user, home)).toBe(200)
    expect(await fail(api, 'guess@a.example.com', home)).toBe(429)
  })

  it(`the network from which ${name} logged in first is unknown after logins from 20 others`, async () => {
    const { api, user } = await setUpUser()
    for (let index = 0; index <= 20; index += 1) {
      expect(await statusOf(api, user, network(index))).toBe(200)
      api.clock.move(1000)
    }
    await failTimes(api, 100, user.username, (index) => network(100 + index))

    expect(await statusOf(api, user, network(0))).toBe(429)
    for (let index = 1; index <= 20; index += 1) expect(await statusOf(api, user, network(index))).toBe(200)
  })
})

describe('a new secret of root', () => {
  it('a new secret of root resets the failures of root in its network and over all networks', async () => {
    const { api } = await setUp()
    await failTimes(api, 10, 'root', home)
    await failTimes(api, 100, 'root', network)
    expect(await statusOf(api, { username: 'root', password: api.ports.secrets.root }, home)).toBe(429)

    api.ports.secrets.root = 's3cr3t-rotated-password'

    expect(await statusOf(api, { username: 'root', password: 's3cr3t-rotated-password' }, home)).toBe(200)
  })
})

describe('a throttled login', () => {
  it.each([
    ['ten failures from its network', 10, () => attacker],
    ['a hundred failures from a hundred networks', 100, network],
  ] as const)('after %s is answered alike whether or not there is such an account', async (_, count, from) => {
    const answers = []
    for (const username of [alice.username, 'nobody@a.example.com', 'alice@nowhere.example.com']) {
      const { api } = await setUp()
      await failTimes(api, count, username, from)
      const { status, body, headers } = await attempt(api, { username, password: alice.password }, attacker)
      answers.push({ status, headers: { ...headers, 'X-Request-Id': '' }, body: { ...body, requestId: '' } })
    }

    expect(answers[0]).toMatchObject({ status: 429, body: { code: 'locked_out' } })
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })
})

describe('many wrong passwords at one moment', () => {
  it('fifty simultaneous wrong passwords from one network for many users are all checked', async () => {
    const { api } = await setUp()

    const statuses = await Promise.all(
      Array.from({ length: 200 }, (_, index) => fail(api, `guess${index}@a.example.com`, attacker)),
    )

    expect(statuses.filter((status) => status === 404)).toHaveLength(50)
    expect(statuses.filter((status) => status === 429)).toHaveLength(150)
  })

  it('a hundred simultaneous wrong passwords from many networks for one user are all checked', async () => {
    const { api } = await setUp()

    const statuses = await Promise.all(
      Array.from({ length: 300 }, (_, index) => fail(api, alice.username, network(index))),
    )

    expect(statuses.filter((status) => status === 401)).toHaveLength(100)
    expect(statuses.filter((status) => status === 429)).toHaveLength(200)
  })

  it('many simultaneous wrong passwords do not lock out a user with the right password in a known network', async () => {
    const { api } = await setUp()
    expect(await statusOf(api, alice, home)).toBe(200)

    const [status] = await Promise.all([
      statusOf(api, alice, home),
      ...Array.from({ length: 300 }, (_, index) => fail(api, alice.username, network(index))),
    ])

    expect(status).toBe(200)
  })
})
