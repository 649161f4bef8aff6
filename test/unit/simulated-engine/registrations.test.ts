import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type SimulatorHarness,
  type WireClient,
  simulatorHarness,
  recordedDirectory,
} from '../../support/engine/simulator-harness.ts'
import { recordedExchanges, replay } from '../../support/engine/engine-replay.ts'
import { fromJson, shapesOf } from '../../support/engine/engine-shape.ts'

const domain = 'tenant1.example.com'
const deleted = new Set<string>()
let broken = false
let holdUp: Promise<void> | undefined
let harness: SimulatorHarness
let listener: WireClient
beforeEach(async () => {
  deleted.clear()
  broken = false
  harness = await simulatorHarness({
    directory: async (form) => {
      // Answered with the present time, published later.
      const answer = recordedDirectory(deleted.has(form['user'] ?? '') ? {} : form)
      await holdUp
      if (broken) throw new Error('the directory is out of order')
      return answer
    },
  })
  listener = await harness.login()
  await listener.command(
    'event json CUSTOM sofia::register sofia::unregister sofia::expire sofia::register_attempt sofia::pre_register',
  )
})
afterEach(() => harness.close())

const recorded = recordedExchanges('events/registrations.json')
  .flatMap(({ frames }) => frames)
  .filter(({ headers }) => headers.get('Content-Type') === 'text/event-json')

/** The recorded events of user 1003, who registers once and takes it back; 1000 also renews. */
function recordedOf(user: string): ReturnType<typeof shapesOf> {
  return shapesOf(recorded.filter(({ body }) => body.includes(`"from-user":"${user}"`)))
}

describe('a phone', () => {
  test('a phone that registers and unregisters fires the recorded events', async () => {
    harness.engine.unregisterPhone('1003', domain)
    await listener.drain()

    expect(await harness.engine.registerPhone('1003', domain)).toBe(true)
    expect(harness.engine.unregisterPhone('1003', domain)).toBe(true)

    expect(shapesOf(await listener.drain())).toEqual(recordedOf('1003'))
  })

  test('a phone that renews its registration fires the recorded event', async () => {
    const [, , , pre, attempt, renewed] = recordedOf('1000')

    await harness.engine.registerPhone('1000', domain)

    expect(shapesOf(await listener.drain())).toEqual([pre, attempt, renewed])
    expect(renewed?.names).toContain('update-reg')
  })

  test('a phone renews its registration before it expires', async () => {
    await harness.time.advance(3_000_000)

    const subclasses = (await listener.drain()).map(({ body }) => new Map(fromJson(body).pairs).get('Event-Subclass'))
    expect(subclasses.filter((subclass) => subclass === 'sofia::register')).toHaveLength(5)
    expect(subclasses).not.toContain('sofia::unregister')
  })

  test('a phone of a user that is unknown to the directory cannot register', async () => {
    expect(await harness.engine.registerPhone('9999', domain)).toBe(false)
    expect(harness.engine.unregisterPhone('9999', domain)).toBe(false)
    expect(await listener.drain()).toEqual([])
  })
})

describe('when the engine is ordered to forget a user', () => {
  const subclasses = async () =>
    (await listener.drain()).map(({ body }) => new Map(fromJson(body).pairs).get('Event-Subclass'))

  test('a new user gets a registered phone when the engine flushes that user', async () => {
    const client = await harness.login()

    const { body } = await client.command(`api xml_flush_cache id 1005 ${domain}`)

    expect(body).toBe('+OK cleared 0 entries\n')
    expect(await subclasses()).toContain('sofia::register')
    const { body: answer } = await client.command(`api originate user/1005@${domain} &park()`)
    expect(answer).toMatch(/^\+OK /)
  })

  test('the phone of a deleted user is unregistered when the engine flushes that user', async () => {
    const client = await harness.login()
    deleted.add('1001')

    const { body } = await client.command(`api xml_flush_cache id 1001 ${domain}`)

    expect(body).toBe('+OK cleared 0 entries\n')
    expect((await subclasses()).at(-1)).toBe('sofia::unregister')
    const { body: answer } = await client.command(`api originate user/1001@${domain} &park()`)
    expect(answer).toBe('-ERR SUBSCRIBER_ABSENT\n')
  })

  test('a flush of a user changes no registration while the directory fails', async () => {
    const client = await harness.login()
    broken = true

    await client.command(`api xml_flush_cache id 1001 ${domain}`)
    await harness.time.advance(7_200_000)

    expect(await subclasses()).toEqual([])
    broken = false
    await harness.time.advance(2_000_000)
    expect(await subclasses()).toContain('sofia::register')
  })

  test('the last of two flushes decides about a registration, even if the answer to the first arrives later', async () => {
    const client = await harness.login()
    const slow = Promise.withResolvers<void>()
    holdUp = slow.promise
    await client.command(`api xml_flush_cache id 1005 ${domain}`)
    holdUp = undefined
    deleted.add('1005')
    await client.command(`api xml_flush_cache id 1005 ${domain}`)

    slow.resolve()

    expect((await subclasses()).at(-1)).toBe('sofia::unregister')
    const { body } = await client.command(`api originate user/1005@${domain} &park()`)
    expect(body).toBe('-ERR SUBSCRIBER_ABSENT\n')
    deleted.clear()
    const { body: later } = await client.command(`api originate user/1005@${domain} &park()`)
    expect(later).toBe('-ERR USER_NOT_REGISTERED\n')
  })

  test('a phone is rung only if a real engine of the kit would ring its contact', async () => {
    const client = await harness.login()
    const call = async (parameters: string) => {
      await harness.engine.registerPhone('1005', domain, parameters)
      return (await client.command(`api originate user/1005@${domain} &park()`)).body
    }

    expect(await call(';a=,loopback/1')).toBe('-ERR USER_NOT_REGISTERED\n')
    expect(await call(';maddr=192.0.2.1')).toBe('-ERR USER_NOT_REGISTERED\n')
    expect(await call(';line=1')).toMatch(/^\+OK /)
    expect((await client.command(`api sofia_contact 1005@${domain}`)).body).toMatch(/;line=1;fs_nat=yes$/)
  })

  test('a flush of a user leaves a phone that is already registered alone', async () => {
    const client = await harness.login()

    await client.command(`api xml_flush_cache id 1001 ${domain}`)

    expect(await subclasses()).toEqual([])
  })
})

test('a flushed registration fires the event of an expired one', async () => {
  const client = await harness.login()

  const { body } = await client.command(`api sofia profile internal flush_inbound_reg 1001@${domain}`)

  expect(body).toBe('+OK flushing all registrations matching specified call_id\n')
  const [event] = await listener.drain()
  const headers = new Map(fromJson(event?.body ?? '').pairs)
  expect(headers.get('Event-Subclass')).toBe('sofia::expire')
  expect([headers.get('user'), headers.get('host')]).toEqual(['1001', domain])
})

test('the list of registrations is as recorded, and is updated with a delay', async () => {
  const replayed = await replay(harness, 'api/registrations')
  const list = replayed.find(({ sent }) => sent.startsWith('api show registrations as json'))
  const client = await harness.login()
  harness.engine.unregisterPhone('1004', domain)

  const late = await client.command('api show registrations count')
  await harness.time.advance(500)
  const settled = await client.command('api show registrations count')

  expect(shapesOf(list?.answered ?? [])).toEqual(shapesOf(list?.recorded ?? []))
  expect([late.body, settled.body]).toEqual(['\n5 total.\n', '\n4 total.\n'])
})

test("a phone's contact is as recorded, whatever the profile", async () => {
  const replayed = await replay(harness, 'api/registrations')
  const contacts = replayed.filter(({ sent }) => /^api sofia_contact \S*(?:1001|9999)/.test(sent))

  expect(contacts.map(({ sent }) => sent.replace('api sofia_contact ', '').trim())).toEqual([
    'internal/1001@tenant1.example.com',
    'nosuchprofile/1001@tenant1.example.com',
    '9999@tenant1.example.com',
  ])
  const portless = (frames: readonly { readonly body: string }[]) => frames.map(({ body }) => body.replace(/:\d+$/, ''))
  for (const { answered, recorded } of contacts) expect(portless(answered)).toEqual(portless(recorded))
})
