import { expect, it } from 'vitest'
import type { CommandOutcome, EngineCommand } from '../../../core/commands/commands.ts'
import { handler as cleanUp } from '../../../functions/domains/clean-up-domain.ts'
import { handler as createDomain } from '../../../functions/domains/create-domain.ts'
import { handler as deleteDomain } from '../../../functions/domains/delete-domain.ts'
import { aContext, anApi } from '../../support/platform/api.ts'
import { gone } from '../../support/stores/flaky.ts'
import { aBatch } from '../../support/records/queue-batch.ts'

const name = 'a.example.com'
const done = { state: 'done', text: '+OK\n' } as const
const away = { state: 'unsent', reason: 'disconnected' } as const

/**
 * A domain that was deleted, and how its engines answer from then on: they have done all until `answer` is replaced.
 */
async function setUp() {
  const api = anApi()
  await api.account()
  const create = async () => {
    const body = { domain_name: name, customer_id: 'another' }
    return (await api.call(createDomain, { body, headers: { ...(await api.as('root')) } })).status
  }
  const outcomes = (answer: (command: EngineCommand) => CommandOutcome | undefined) => {
    api.ports.engine.answer = answer
  }
  /** Handles the next clean-up at its time; answers how many seconds it had to wait. */
  const look = async ({ ports, tools } = api) => {
    const next = api.ports.cleanups.queued.shift()
    if (next === undefined) throw new Error('no clean-up is queued')
    const { delaySeconds, ...message } = next
    api.clock.move(delaySeconds * 1000)
    const { batchItemFailures } = await cleanUp.over(ports, tools)(aBatch([{ version: 1, ...message }]), aContext)
    if (batchItemFailures.length > 0) api.ports.cleanups.queued.push(next)
    return delaySeconds
  }
  const remove = async () => {
    await api.call(deleteDomain, { params: { domain_name: name }, headers: { ...(await api.as('root')) } })
  }
  return { api, remove, create, outcomes, look }
}

it.each<[string, EngineCommand['kind'], CommandOutcome | undefined]>([
  ['an engine is away that may have its calls', 'hang-up-domain', away],
  ['an engine is away that may have its phones', 'drop-domain-registrations', away],
  ['no connector has taken the order to end its calls', 'hang-up-domain', { state: 'unsent', reason: 'expired' }],
  [
    'it is unknown whether its phones were dropped',
    'drop-domain-registrations',
    { state: 'unknown', reason: 'timeout' },
  ],
  ['no answer came to the order to end its calls', 'hang-up-domain', undefined],
  ['an engine refuses to drop its phones', 'drop-domain-registrations', { state: 'refused', text: '-ERR 1 left\n' }],
])('the name of a deleted domain stays taken while %s, for days if need be', async (_while, kind, outcome) => {
  const { api, remove, create, outcomes, look } = await setUp()
  outcomes((command) => (command.kind === kind ? outcome : done))
  await remove()
  const deletedAt = api.clock.now()

  while (api.clock.now() < deletedAt + 3 * 86_400_000) await look()

  expect(await create()).toBe(409)
  expect(await api.ports.accounts.list(name)).toHaveLength(1)
  expect(api.ports.cleanups.queued).toMatchObject([{ domain: name, silencedAt: undefined }])
})

it('the name of a deleted domain is free once an engine that was away for two minutes has done both orders', async () => {
  const { api, remove, create, outcomes, look } = await setUp()
  outcomes(() => away)
  await remove()
  const deletedAt = api.clock.now()
  while (api.clock.now() < deletedAt + 120_000) await look()
  expect(await create()).toBe(409)
  outcomes(() => done)
  api.ports.engine.given.length = 0

  await look()
  const backAt = api.clock.now()
  expect(api.ports.engine.given.slice(0, 2).map(({ command }) => command.kind)).toEqual([
    'drop-domain-registrations',
    'hang-up-domain',
  ])
  expect(await create()).toBe(409)
  while (api.ports.cleanups.queued.length > 0) await look()

  expect(await create()).toBe(200)
  // The last events of the calls that were ended then have this long to arrive.
  expect(api.clock.now() - backAt).toBe(75_000)
})

it('the phones of a deleted domain are dropped before its calls are ended, so that they place no further ones', async () => {
  const { api, remove, outcomes, look } = await setUp()
  await remove()
  const orders: string[] = []
  outcomes(({ kind }) => {
    orders.push(kind)
    return kind === 'drop-domain-registrations' ? away : done
  })

  await look()

  expect(orders).toEqual(['drop-domain-registrations', 'hang-up-domain'])
  expect(api.ports.cleanups.queued).toMatchObject([{ silencedAt: undefined }])
})

it('an engine that is away for long is asked less and less often, and every five minutes at least', async () => {
  const { remove, outcomes, look } = await setUp()
  outcomes(() => away)
  await remove()
  await look()

  const waits: number[] = []
  for (let count = 0; count < 20; count += 1) waits.push(await look())

  expect(waits[0]).toBe(15)
  expect(waits).toEqual(waits.toSorted((a, b) => a - b))
  expect(waits.at(-1)).toBe(300)
})

it('a deleted domain that waits for an engine is logged with the order that was not carried out and its outcome', async () => {
  const { api, remove, outcomes, look } = await setUp()
  outcomes(({ kind }) => (kind === 'hang-up-domain' ? away : done))
  await remove()

  await look()

  expect(api.log.lines).toContainEqual({
    level: 'warn',
    message: 'a deleted domain keeps its name until every engine has carried out an order',
    keys: expect.objectContaining({ domain: name, order: 'hang-up-domain', outcome: 'unsent (disconnected)' }),
  })
})

it('a clean-up whose orders cannot be queued comes again, and the name stays taken', async () => {
  const { api, remove, create, look } = await setUp()
  await remove()
  let isGone = true
  const engine = gone(api.ports.engine, 'run', () => isGone)

  await look(api.with({ engine }))
  expect(api.ports.cleanups.queued).toMatchObject([{ domain: name }])
  expect(await create()).toBe(409)
  isGone = false
  while (api.ports.cleanups.queued.length > 0) await look(api.with({ engine }))

  expect(await create()).toBe(200)
})

it('the name of a deleted domain stays taken while its records are not all removed, and the rest is removed at once', async () => {
  const { api, remove, create, look } = await setUp()
  await remove()
  const sweeps: string[] = []
  const sweep = async (...given: Parameters<typeof api.ports.tenantData.purge>) => {
    sweeps.push(given[0])
    return sweeps.length > 2 && api.ports.tenantData.purge(...given)
  }
  const slowly = api.with({ tenantData: { purge: sweep } })
  while (sweeps.length === 0) await look(slowly)

  expect([await create(), await look(slowly), await create()]).toEqual([409, 0, 409])
  expect(await api.ports.accounts.list(name)).toHaveLength(1)
  expect(api.ports.cleanups.queued).toMatchObject([{ domain: name, delaySeconds: 0 }])
  await look(slowly)

  expect([api.ports.cleanups.queued, await create()]).toEqual([[], 200])
  expect(await api.ports.accounts.list(name)).toEqual([])
})

it("the retention of a deleted domain's recordings is recorded before its name is free, so that they end with it", async () => {
  const { api, remove, create, look } = await setUp()
  const domain = await api.ports.domains.read(name)
  if (domain === undefined) throw new Error('the domain is missing')
  const parameters = { 'recording-retention-days': '9' }
  await api.ports.domains.replaceSettings({ ...domain, parameters, version: domain.version + 1 })
  await remove()
  const states: unknown[] = []
  const leave = async (left: Parameters<typeof api.ports.recordings.leave>[0]) => {
    states.push(await create())
    await api.ports.recordings.leave(left)
  }
  const watched = api.with({ recordings: { ...api.ports.recordings, leave } })

  while (api.ports.cleanups.queued.length > 0) await look(watched)

  expect(states).toEqual([409])
  expect(await api.ports.recordings.listLeft(10)).toEqual([{ domain: name, retentionDays: 9, leftAt: api.clock.now() }])
})
