import { afterAll, beforeAll, expect, it } from 'vitest'
import { joinKey } from '../../adapters/dynamodb/key.ts'
import type { TableName } from '../../contracts/resources.ts'
import type { Client } from '../../client/index.ts'
import type { Platform } from '../../local/platform/start-platform.ts'
import { platformDump } from '../support/platform/platform-stores.ts'
import { type TestPlatform, aPlatform, tenantPassword } from '../support/platform/platform.ts'

const name = 'gone.example.com'
const neighbour = `${name}.au`
const env = { DELETION_GRACE_SECONDS: '2' }

/**
 * Records that outlive a domain by design: see contracts/domain-partitions.ts. A report of a connector, replaced every
 * 5 s, names the domains of the orders that it has under way, those of the clean-up included.
 */
const outliving: readonly TableName[] = [
  'audit',
  'commands',
  'connectors',
  'limits',
  'recordings',
  'sessions',
  'throttles',
]

let platform: TestPlatform

beforeAll(async () => {
  platform = await aPlatform(env)
})

afterAll(() => platform.close())

/** A tenant with a record in every store, and a live call. */
async function aFullTenant(domain: string): Promise<{ admin: Client; call: string }> {
  const admin = await platform.tenant(domain)
  const root = await platform.root()
  const query = { domain }
  const hook = {
    event: 'CHANNEL_ANSWER',
    action: { type: 'web' as const, method: 'POST', url: 'https://hooks.example.com/' },
  }
  await admin.call('createHooks', { query, body: hook })
  await admin.call('addBlacklistNumber', { query, params: { blacklist_name: 'spam' }, body: { number: '100' } })
  await admin.call('createDefaultRoute', { query, body: { destination_number: '^100$', name: 'all', callflow: [] } })
  const options = { host: 'mail.example.net', port: 25, secure: false }
  await admin.call('createEmailSettings', { query, body: { provider: 'smtp', from: 'pbx@example.net', options } })
  await root.call('createRole', { query, body: { roles: 'operator', allows: { hook: ['r'] } } })
  const expire = Date.now() + 3_600_000
  await admin.call('createDomainToken', { params: { domain_name: domain }, body: { expire, role: 'user' } })
  const { info } = await admin.call('originateCall', { body: { callerId: '1001', calledId: '9196' } })
  return { admin, call: info.replace('+OK ', '').trim() }
}

/**
 * Whether an item is the kept answer of a request by root, who has no domain: it names what root did and lasts a day.
 */
const isOfRoot = (item: string) =>
  item.startsWith('idempotency ') && item.includes(`"pk":${JSON.stringify(joinKey(''))}`)

/** Lists the records of each of the two tenants; the name of one is the beginning of the other's. */
async function storedOf(running: Platform) {
  const items = (await platformDump(running, outliving)).filter((item) => !isOfRoot(item))
  const theirs = items.filter((item) => item.includes(neighbour))
  return { own: items.filter((item) => item.replaceAll(neighbour, '').includes(name)), theirs }
}

/** Without when and by what the items were last touched: a neighbour goes on living. */
const lasting = (items: readonly string[]) => items.filter((item) => !/^(?:presence|events|deliveries) /.test(item))

/** Resolves when the last write of a clean-up is judged: its domain's own record goes. */
function lastWrite({ gate, assembly }: Platform): Promise<void> {
  const cleaner = assembly.functions.find(({ handler }) => handler.includes('clean-up-domain'))
  return new Promise((resolve) => {
    gate.observe(({ roleArn, action }) => {
      if (action === 'dynamodb:DeleteItem' && (cleaner === undefined || roleArn === cleaner.roleArn)) resolve()
    })
  })
}

/** Asks for the domain until its name is free. */
async function createWhenFree(root: Client): Promise<void> {
  const body = { domain_name: name, customer_id: 'another' }
  for (;;) {
    const refusal = await root.call('createDomain', { body }).then(
      () => undefined,
      (error: unknown) => String(error),
    )
    if (refusal === undefined) return
    expect(refusal).toContain('409: conflict')
  }
}

it('a deleted domain is refused at once, its calls end, and its name is free when all its data are removed', async () => {
  const [gone, stays] = [await aFullTenant(name), await aFullTenant(neighbour)]
  const [root, socket] = [await platform.root(), await platform.engine()]
  const before = await storedOf(platform.platform)
  const end = await socket.listenForEnd(gone.call)
  const cleaned = lastWrite(platform.platform)

  const answer = await root.call('deleteDomain', { params: { domain_name: name } })
  const refused = gone.admin.call('listAccounts')

  expect(answer).toEqual({ status: 'OK', info: `+OK [${name}] destroy !\n`, 'more info': '' })
  await expect(refused).rejects.toThrow('401: invalid_token')
  await expect(platform.logIn(`1001@${name}`, tenantPassword('1001'))).rejects.toThrow('404: not_found')
  await expect(root.call('createDomain', { body: { domain_name: name, customer_id: 'another' } })).rejects.toThrow(
    '409',
  )
  expect(Object.keys((await root.call('listDomains')).data)).toContain(neighbour)
  expect(Object.keys((await root.call('listDomains')).data)).not.toContain(name)

  expect(await end.event).toContain('Hangup-Cause: MANAGER_REQUEST')
  await cleaned
  await createWhenFree(root)
  const asNew = await storedOf(platform.platform)

  expect(asNew.own).toEqual([expect.stringContaining('"customerId":"another"')])
  expect(lasting(asNew.theirs)).toEqual(lasting(before.theirs))
  expect(lasting(before.own).length).toBe(lasting(before.theirs).length)
  expect(await (await platform.engine()).api(`uuid_exists ${stays.call}`)).toBe('true')
  expect((await stays.admin.call('listChannels')).data.rows.map((row) => row['uuid'])).toEqual([stays.call])
  await expect(gone.admin.call('listAccounts')).rejects.toThrow('401: invalid_token')
})

it('a clean-up that the end of the platform interrupted is finished by the next start', async () => {
  const root = await platform.root()
  await root.call('createAccount', {
    query: { domain: name },
    body: { login: '1', role: 'user', password: 's3cr3t-account' },
  })
  await root.call('deleteDomain', { params: { domain_name: name } })
  await platform.stop()
  platform = await aPlatform(env, platform.dataDir)

  await createWhenFree(await platform.root())

  expect((await storedOf(platform.platform)).own).toEqual([expect.stringContaining('"customerId":"another"')])
})
