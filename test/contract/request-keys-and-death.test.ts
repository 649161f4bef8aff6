import { describe, expect, test } from 'vitest'
import type { CommandOutcome } from '../../core/commands/commands.ts'
import type { EndpointHandler } from '../../functions/endpoint.ts'
import type { EndpointDeps } from '../../functions/endpoint/endpoint-parts.ts'
import { eachNth } from '../support/breadth.ts'
import type { MemoryPorts } from '../support/memory/memory-ports.ts'
import type { Route } from '../../contracts/routes/route.ts'
import { handler as createAccount } from '../../functions/accounts/create-account.ts'
import { handler as addBlacklistNumber } from '../../functions/blacklists/add-blacklist-number.ts'
import { handler as originateCall } from '../../functions/channels/originate-call.ts'
import { handler as createDomain } from '../../functions/domains/create-domain.ts'
import { handler as createEmailSettings } from '../../functions/email/create-email-settings.ts'
import { handler as createHooks } from '../../functions/hooks/create-hooks.ts'
import { handler as rotateHookSecret } from '../../functions/hooks/rotate-hook-secret.ts'
import { handler as createDefaultRoute } from '../../functions/default-routes/create-default-route.ts'
import { type Api, type ApiAnswer, anApi } from '../support/platform/api.ts'
import { type Moment, dying } from '../support/processes/dying.ts'
import { startDynamoServer } from '../support/stores/dynamo-server.ts'
import { aHookInput } from '../support/records/hook-input.ts'
import { opened } from '../support/processes/opened.ts'
import { aHook } from '../support/records/records.ts'
import { dynamoStores } from '../support/stores/stores.ts'

/** A handler file's export. */
interface Served {
  readonly route: Route
  readonly over: (ports: MemoryPorts, tools: EndpointDeps) => EndpointHandler
}

/** A request that makes something, and what there must be of it, whatever happened on the way. */
interface Creation {
  readonly handler: Served
  readonly params?: Readonly<Record<string, string>>
  /** Makes what has to be there before. */
  readonly first?: (api: Api, domain: string) => Promise<unknown>
  readonly body: (domain: string) => object
  /** Counts the created records and published events; `answer` is the one that the caller got at last. */
  readonly made: (api: Api, answer: ApiAnswer, domain: string) => Promise<unknown>
  readonly once: unknown
}

/** Longer than a killed run holds its key. */
const leaseMs = 31_000

const answered = (command: { readonly kind: string; readonly uuid?: string }): CommandOutcome => ({
  state: 'done',
  text: `+OK ${command.uuid ?? ''}\n`,
})

/** The distinct published events of a name; a repeat of one is dropped by its id on its way. */
const published = ({ ports }: Api, name: string) =>
  new Set(ports.events.published.filter((event) => event.name === `CUSTOM->svc::${name}`).map(({ id }) => id)).size

const creations: Record<string, Creation> = {
  createAccount: {
    handler: createAccount,
    body: (domain) => ({ login: '2000', password: 's3cr3t-pass word', role: 'user', domain }),
    made: async (api, { body }, domain) => ({
      accounts: (await api.ports.accounts.list(domain)).map(({ login }) => login),
      counted: (await api.ports.domains.read(domain))?.accountCount,
      published: published(api, 'user_create'),
      answered: body.data['svc-extensions'],
    }),
    once: { accounts: ['1000', '2000'], counted: 2, published: 1, answered: '2000' },
  },
  createDomain: {
    handler: createDomain,
    body: (domain) => ({ domain_name: `new.${domain}`, customer_id: 'c1' }),
    made: async (api, { body }, domain) => ({
      domains: (await api.ports.domains.list()).filter(({ name }) => name === `new.${domain}`).length,
      published: published(api, 'domain_create'),
      answered: body.info.replace(domain, '…'),
    }),
    once: {
      domains: 1,
      published: 1,
      answered: '+OK [new.…] created !\n',
    },
  },
  createHooks: {
    handler: createHooks,
    body: () => [aHookInput(), aHookInput({ event: 'DTMF' })],
    made: async (api, { body }, domain) => {
      const hooks = await api.ports.hooks.list(domain)
      const opens = await Promise.all(
        hooks.map(async ({ id, secrets }) => {
          const secret = await api.ports.secretBox.open(secrets[0]?.sealed ?? '', `hook-secret:${domain}:${id}`)
          return `whsec_${Buffer.from(secret).toString('base64')}` === body.data.secrets[id]
        }),
      )
      return { hooks: hooks.map(({ event }) => event).sort(), opens, shown: body.data.insertedCount }
    },
    once: { hooks: ['CHANNEL_CREATE', 'DTMF'], opens: [true, true], shown: 2 },
  },
  rotateHookSecret: {
    handler: rotateHookSecret,
    params: { hook_id: 'c'.repeat(24) },
    first: async ({ ports }, domain) => ports.hooks.create([aHook({ domain, id: 'c'.repeat(24) })], 9),
    body: () => ({}),
    made: async ({ ports }, { body }, domain) => {
      const [hook] = await ports.hooks.list(domain)
      const { id = '', secrets = [], version } = hook ?? {}
      const secret = await ports.secretBox.open(secrets[0]?.sealed ?? '', `hook-secret:${domain}:${id}`)
      const isShown = `whsec_${Buffer.from(secret).toString('base64')}` === body.data.secrets[id]
      return { version, isShown, before: secrets.slice(1).map(({ sealed }) => sealed) }
    },
    once: { version: 2, isShown: true, before: ['c2VhbGVk'] },
  },
  createEmailSettings: {
    handler: createEmailSettings,
    body: () => ({ provider: 'smtp', options: { host: 'smtp.example.com', auth: { user: 'a', pass: 's3cr3t-b' } } }),
    made: async (api, { body }, domain) => {
      const settings = await api.ports.emailSettings.read(domain)
      return { isShown: settings?.id === body._id, host: settings?.options.host }
    },
    once: { isShown: true, host: 'smtp.example.com' },
  },
  createDefaultRoute: {
    handler: createDefaultRoute,
    body: () => ({ destination_number: '^1000$', callflow: [{ answer: '' }] }),
    made: async (api, { body }, domain) => {
      const { routes } = await api.ports.defaultRoutes.list(domain)
      return { routes: routes.length, orders: routes.map(({ order }) => order), isShown: routes[0]?.id === body._id }
    },
    once: { routes: 1, orders: [1], isShown: true },
  },
  addBlacklistNumber: {
    handler: addBlacklistNumber,
    params: { blacklist_name: 'spam' },
    body: () => ({ number: '+1 555' }),
    made: async (api, { body }, domain) => ({
      numbers: (await api.ports.blacklists.entries(domain, 'spam')).map(({ number }) => number),
      names: await api.ports.blacklists.names(domain),
      answered: body,
    }),
    once: { numbers: ['+1555'], names: ['spam'], answered: { ok: 1, Modified: 1, n: 1 } },
  },
  originateCall: {
    handler: originateCall,
    body: () => ({ calledId: '9196', callerId: '1000' }),
    made: async (api, { body }, domain) => ({
      dialled: api.ports.engine.given.map(({ command }) => `+OK ${'uuid' in command ? command.uuid : ''}\n`),
      counted: (await api.ports.knownCalls.listPlaced(domain)).length,
      answered: body.info,
    }),
    once: { dialled: [expect.stringMatching(/^\+OK [0-9a-f-]{36}\n$/)], counted: 1, answered: expect.any(String) },
  },
}

/** A platform with one new tenant, over memory or with its stores in DynamoDB. */
type OpenTenant = () => Promise<{ api: Api; domain: string; headers: Record<string, string> }>

let tenants = 0

/** A tenant of a platform, and the headers of its caller. */
async function tenantOf(api: Api, creation: Creation) {
  tenants += 1
  const domain = `t${tenants}.example.com`
  api.ports.engine.answer = answered
  const admin = await api.account({ domain, login: '1000', role: 'admin' })
  await creation.first?.(api, domain)
  const credential = await api.as(creation.handler === createDomain ? 'root' : admin)
  return { api, domain, headers: { ...credential, 'idempotency-key': `key-${tenants}` } }
}

describe('over DynamoDB', () => {
  const server = opened(startDynamoServer)

  describe.each(Object.entries(creations))('%s', (_name, creation) => {
    diesAnywhere(creation, () => {
      const memory = anApi()
      const context = { env: server().env, clock: memory.clock, random: memory.tools.random }
      return tenantOf(memory.with(dynamoStores(context)), creation)
    })
  })
})

function diesAnywhere({ handler, params = {}, body, made, once }: Creation, openTenant: OpenTenant): void {
  test('a request that is killed at any step and repeated under its key succeeds and takes effect once', async () => {
    const unharmed = await openTenant()
    const counted = dying(unharmed.api.ports)
    const request = { headers: unharmed.headers, params, body: body(unharmed.domain) }
    expect(await unharmed.api.with(counted.ports).call(handler, request)).toMatchObject({ status: 200 })
    const moments = counted.names.flatMap((name, index): (Moment & { name: string })[] => [
      { call: index + 1, side: 'before', name },
      { call: index + 1, side: 'after', name },
    ])
    expect(counted.names).toContain('idempotency.complete')

    for (const moment of eachNth(moments, 3)) {
      const where = `killed ${moment.side} ${moment.name}`
      const { api, domain, headers } = await openTenant()
      const request = { headers, params, body: body(domain) }
      await api.with(dying(api.ports, moment).ports).call(handler, request)
      api.clock.move(leaseMs)

      const first = await api.call(handler, request)
      const again = await api.call(handler, request)

      expect(first.status, where).toBe(200)
      expect(await made(api, first, domain), where).toEqual(once)
      expect(again.body, where).toEqual(first.body)
      expect(again.headers['Idempotent-Replayed'], where).toBe('true')
    }
  })
}
