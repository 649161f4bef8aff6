import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import type { MemoryPorts } from '../support/memory/memory-ports.ts'
import type { Account } from '../../core/accounts/account.ts'
import { handler as createAccount } from '../../functions/accounts/create-account.ts'
import { handler as hookDispatch } from '../../functions/hooks/hook-dispatch.ts'
import { anApi, gatewayEvent } from '../support/platform/api.ts'
import { dump } from '../support/stores/dump.ts'
import { startDynamoServer } from '../support/stores/dynamo-server.ts'
import { opened } from '../support/processes/opened.ts'
import { aBatch } from '../support/records/queue-batch.ts'
import { aHook, anEvent } from '../support/records/records.ts'
import { dynamoStores } from '../support/stores/stores.ts'

/** The time of a function in addition to the time that it reserves for answering, and longer than any grace. */
const [aMoment, hours] = [50, 7_200_000]
const shortly = { getRemainingTimeInMillis: () => 500 + aMoment }

const server = opened(startDynamoServer)

// Only what the wrappers wait by: the test says when their time is up.
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => vi.useRealTimers())

/** The endpoints over DynamoDB, and all that is stored. */
function setUp() {
  const memory = anApi()
  const context = { env: server().env, clock: memory.clock, random: systemRandomness }
  return { api: memory.with(dynamoStores(context)), stored: () => dump(context, ['audit', 'sessions', 'tokens']) }
}

/** A port's method whose answer comes when the test lets it, as in a process that is frozen meanwhile. */
function frozen<A extends unknown[], R>(call: (...given: A) => Promise<R>) {
  const asked = Promise.withResolvers<void>()
  const thawed = Promise.withResolvers<void>()
  const held = async (...given: A) => {
    const result = await call(...given)
    asked.resolve()
    await thawed.promise
    return result
  }
  return { held, asked: asked.promise, thaw: thawed.resolve }
}

/** A port's method of which a test hears how its first call ended. */
function watched<A extends unknown[], R>(call: (...given: A) => Promise<R>) {
  const end = Promise.withResolvers<unknown>()
  const heard = (...given: A) => {
    const result = call(...given)
    result.then(end.resolve, end.resolve)
    return result
  }
  return { heard, end: end.promise }
}

test('a request that is thawed hours after its answer writes nothing any more', async () => {
  const { api, stored } = setUp()
  const headers = { ...(await api.as(await api.account({ domain: 'late.test', role: 'admin' }))) }
  const before = await stored()
  const hash = frozen((password: string) => api.ports.passwords.hash(password))
  const create = watched((account: Account, limit: number) => api.ports.accounts.create(account, limit))
  const ports: MemoryPorts = {
    ...api.ports,
    passwords: { ...api.ports.passwords, hash: hash.held },
    accounts: { ...api.ports.accounts, create: create.heard },
  }
  const body = { login: '1001', password: 's3cr3t-pass word', role: 'user' }

  const answering = createAccount.over(ports, api.tools)(gatewayEvent(createAccount.route, { headers, body }), shortly)
  await hash.asked
  vi.advanceTimersByTime(aMoment)
  const answer = await answering
  api.clock.move(hours)
  hash.thaw()

  expect(answer).toMatchObject({ statusCode: 504, body: expect.stringContaining('deadline_exceeded') })
  expect(await create.end).toMatchObject({ name: 'DomainError', code: 'deadline_exceeded' })
  expect(await stored()).toEqual(before)
})

test('a batch that is thawed hours after its end writes nothing any more, and its message comes again', async () => {
  const { api, stored } = setUp()
  await api.ports.hooks.create([aHook({ domain: 'late.test', filter: {} })], 9)
  const before = await stored()
  const list = frozen((domain: string) => api.ports.hooks.list(domain))
  const take = watched((...given: Parameters<typeof api.ports.eventLogWriter.take>) =>
    api.ports.eventLogWriter.take(...given),
  )
  const ports: MemoryPorts = {
    ...api.ports,
    hooks: { ...api.ports.hooks, list: list.held },
    eventLogWriter: { ...api.ports.eventLogWriter, take: take.heard },
  }
  const event = anEvent({ domain: 'late.test' })

  const working = hookDispatch.over(ports, api.tools)(aBatch([{ version: 1, ...event }]), shortly)
  await list.asked
  vi.advanceTimersByTime(aMoment)
  const { batchItemFailures } = await working
  api.clock.move(hours)
  list.thaw()

  expect(batchItemFailures).toHaveLength(1)
  expect(await take.end).toMatchObject({ name: 'DomainError', code: 'deadline_exceeded' })
  expect(await stored()).toEqual(before)
})
