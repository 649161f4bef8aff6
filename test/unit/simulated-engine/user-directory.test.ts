import { expect, test } from 'vitest'
import { UserDirectory } from '../../../packages/simulated-freeswitch/directory/user-directory.ts'

/** A directory whose users are all there, with the given word on caching, and the lookups that reached it. */
function setUp(cacheable: string) {
  const time = { ms: 1_000_000 }
  const lookups: string[] = []
  const users = new UserDirectory(
    async ({ user = '', domain = '' }) => {
      lookups.push(`${user}@${domain}`)
      return `<document><section name="directory"><domain name="${domain}">
        <user id="${user}" cacheable="${cacheable}"/></domain></section></document>`
    },
    { now: () => time.ms },
  )
  const ask = async (address: string) => {
    const [user = '', domain = ''] = address.split('@')
    const answer = await users.find({ user, domain, action: 'sip_auth' })
    return `${answer?.login}@${answer?.domain}`
  }
  return { users, ask, lookups, time }
}

test('a user with a cache time is looked up once in that time', async () => {
  const { ask, lookups, time } = setUp('60000')

  await ask('1000@a.example.com')
  time.ms += 60_000
  await ask('1000@a.example.com')
  expect(lookups).toHaveLength(1)

  time.ms += 1
  await ask('1000@a.example.com')
  expect(lookups).toHaveLength(2)
})

test('a user without a cache time is looked up each time', async () => {
  const { ask, lookups } = setUp('')

  await ask('1000@a.example.com')
  await ask('1000@a.example.com')

  expect(lookups).toHaveLength(2)
})

test('a user whose cache time is not a number is cached until it is flushed', async () => {
  const { users, ask, lookups, time } = setUp('true')
  await ask('1000@a.example.com')
  time.ms += 1e12

  await ask('1000@a.example.com')
  expect(lookups).toHaveLength(1)

  expect(users.flush({ login: '1000', domain: 'a.example.com' })).toBe(1)
  await ask('1000@a.example.com')
  expect(lookups).toHaveLength(2)
})

test('a cache time overflows as in the engine: 2 147 483 ms is honoured, and a millisecond more expires at once', async () => {
  const least = setUp('2147484')
  const most = setUp('2147483')

  for (const { ask, time } of [least, most]) {
    await ask('1000@a.example.com')
    time.ms += 1
    await ask('1000@a.example.com')
  }

  expect([least.lookups.length, most.lookups.length]).toEqual([2, 1])
})

test('login and domain are joined without a separator in the cache, so two users can share an entry, as in the engine', async () => {
  const { ask } = setUp('60000')
  await ask('1000ac@me.example.com')

  expect(await ask('1000@acme.example.com')).toBe('1000ac@me.example.com')
})

test('a flush removes the cached user of exactly the given spelling, and one without a name removes all', async () => {
  const { users, ask } = setUp('60000')
  await ask('1000@a.example.com')
  await ask('1000@A.example.com')

  expect(users.flush({ login: '1000', domain: 'a.example.com' })).toBe(1)
  expect(users.flush()).toBe(1)
})
