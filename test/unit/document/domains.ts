/** Generated domains, and a platform in memory that has one. */
import * as fc from 'fast-check'
import { Client } from '../../../client/index.ts'
import { completed, type DomainDocument, type DomainState, type JsonObject } from '../../../cli/document/model.ts'
import { parseDocument } from '../../../cli/document/parse-document.ts'
import { makePlan } from '../../../cli/document/plan.ts'
import { applyPlan, findDomain } from '../../../cli/deploy/apply-plan.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { memoryFetch } from '../../support/platform/memory-fetch.ts'

const domain = 'a.example.com'

/** A domain in memory whose admin is `1000`, and root's way to it. */
export async function aDomainInMemory(api: Api = anApi()) {
  const admin = await api.account({ login: '1000', domain, role: 'admin' })
  const { fetch, sent } = memoryFetch(api)
  const targetOf = async (user: Parameters<Api['as']>[0]) => {
    const headers: Readonly<Record<string, string>> = { ...(await api.as(user)) }
    const token = { token: headers['x-access-token'] ?? '', key: headers['x-key'] ?? '' }
    const client = new Client({ url: 'https://api.test', fetch, token, retries: 0 })
    return { client, domain, signal: new AbortController().signal }
  }
  const target = await targetOf('root')
  const { client } = target
  const kept: string[] = []
  const deps = {
    ...target,
    secrets: {
      env: { SECRET: 's3cr3t-of-env', PIN: '4711', HEADER: 'Bearer of-env' },
      keep: (what: string) => void kept.push(what),
    },
    now: () => api.clock.now(),
    report: () => {},
  }
  /** Makes the domain what a document says. Returns the number of steps. */
  const apply = async (document: DomainDocument) => {
    const found = await findDomain(target, api.clock.now())
    return applyPlan(makePlan(found.state, document, api.clock.now()), found, deps)
  }
  const read = async () => (await findDomain(target, api.clock.now())).state
  return { api, admin, client, target, targetOf, deps, kept, apply, read, sent }
}

/** The account that every generated domain keeps. */
export const adminAccount = { role: 'admin', parameters: {}, variables: {} }

/** Parses a document of the usual domain. */
export function documentOf(text: string): DomainDocument {
  return parseDocument(`callplane: 1\ndomain: ${domain}\n${text}`, 'acme.yaml')
}

const empty: DomainState = {
  domain,
  parameters: {},
  variables: {},
  roles: {},
  accounts: { '1000': adminAccount },
  blacklists: {},
  email: null,
  gateways: {},
  routes: [],
  publicRoutes: [],
  hooks: [],
}

const logins = ['1001', '1002', 'alice', 'constructor', 'Bob.B']
const numbers = ['200', '201', '202', '+49301', '*5']
const roleNames = ['support', 'lead', 'constructor']
const name = fc.constantFrom('x_a', 'x_b', 'x_constructor')
const flag = fc.boolean()

const variables = fc.dictionary(name, fc.stringMatching(/^[\w .+-]{1,10}$/), { maxKeys: 2 })
const parameters = fc.record(
  {
    'vm-enabled': fc.constantFrom('true', 'false'),
    'vm-password': fc.constant('${env:PIN}'),
    'x-note': fc.stringMatching(/^[\w =#:.-]{1,10}$/),
    'vm-mailto': fc.constant('a.b@example.com'),
  },
  { requiredKeys: [] },
)

const roles = fc
  .uniqueArray(fc.constantFrom(...roleNames), { maxLength: 3 })
  .chain((names) =>
    fc.tuple(
      ...names.map((own, index) =>
        fc
          .record({
            parent: fc.constantFrom(null, 'user', ...names.slice(0, index)),
            allows: fc.dictionary(
              fc.constantFrom('hook', 'cdr', 'blacklist'),
              fc.subarray(['c', 'r', 'u', 'd', 'ro', '*'], { minLength: 1 }),
            ),
          })
          .map((role) => [own, role] as const),
      ),
    ),
  )
  .map((entries) => Object.fromEntries(entries))

function accounts(known: readonly string[]) {
  return fc
    .tuple(fc.subarray(logins), fc.shuffledSubarray(numbers), fc.array(fc.nat(), { minLength: 5, maxLength: 5 }))
    .chain(([chosen, pool, cuts]) =>
      fc
        .tuple(
          ...chosen.map((login, index) =>
            fc
              .record({
                role: fc.constantFrom('user', 'admin', ...known),
                parameters,
                variables,
                contact: fc.option(fc.constantFrom(...chosen, '1000')),
              })
              .map(({ contact, ...account }) => {
                const own = pool.filter((_, at) => (cuts[at] ?? 0) % chosen.length === index)
                return [
                  login,
                  {
                    ...account,
                    parameters: {
                      ...account.parameters,
                      ...(own.length === 0 ? {} : { 'svc-extensions': own.join(',') }),
                      ...(contact === null ? {} : { 'cc-agent-contact': `user/${contact}` }),
                    },
                  },
                ] as const
              }),
          ),
        )
        .map((entries) => Object.fromEntries([['1000', adminAccount], ...entries])),
    )
}

const blacklists = fc.dictionary(
  fc.constantFrom('spam', 'night shift', 'constructor'),
  fc.dictionary(
    fc.constantFrom('100', '+4930', '200', 'abc'),
    fc.record(
      { expires: fc.constant(Date.UTC(2027, 0, 1)), note: fc.stringMatching(/^[\w :#-]{1,8}$/) },
      { requiredKeys: [] },
    ),
    { minKeys: 1 },
  ),
)

const email = fc.option(
  fc
    .tuple(
      fc.record({
        from: fc.constantFrom('', 'pbx@example.com'),
        description: fc.constantFrom('', 'a: b'),
        host: fc.constantFrom('smtp.example.com', 'mail.example.com'),
        port: fc.constantFrom(465, 587, 2525),
        secure: flag,
        debug: flag,
        rejectUnauthorized: flag,
        allowPlaintextLogin: flag,
      }),
      fc.record({ user: fc.constantFrom('me', '0'), pass: fc.constant('${env:SECRET}') }, { requiredKeys: [] }),
    )
    .map(([server, login]) => Object.assign({}, server, login)),
)

const callflow = fc.array(
  fc.constantFrom<JsonObject[]>(
    { answer: '' },
    { hangup: 'USER_BUSY' },
    { setVar: ['x_a=1', 'x_b=true'] },
    { if: { expression: "${x_a} == '1'", then: [{ hangup: '' }], else: [{ sleep: '1000' }] } },
    { switch: { variable: '${x_a}', case: { '2': [{ answer: '' }], '1': [{ hangup: '' }], default: [{ park: '' }] } } },
    { blackList: { name: 'spam' }, tag: 'true' },
  ),
  { maxLength: 3 },
)

const route = fc.record({
  name: fc.constantFrom('sales', 'night', '^1$', 'yes'),
  pattern: fc.constantFrom('^1$', '^\\+?49(\\d+)$', '0x10', '~'),
  order: fc.integer({ min: -2, max: 20 }),
  disabled: flag,
  timezone: fc.constantFrom(null, 'Europe/Kyiv'),
  description: fc.constantFrom('', 'null', '# no comment', '- item'),
  callflow,
})

const routes = fc.array(route, { maxLength: 4 })

const publicRoutes = fc.array(
  fc
    .tuple(route, fc.record({ gateway: fc.constantFrom('trunk', 'b_2') }, { requiredKeys: [] }))
    .map(([of, limit]) => Object.assign({}, of, limit)),
  { maxLength: 3 },
)

const gateways = fc.dictionary(
  fc.constantFrom('trunk', 'b_2', 'constructor'),
  fc
    .tuple(
      fc.record({
        realm: fc.constantFrom('sip.example.net', 'trunk.example.net'),
        from_domain: fc.constantFrom('sip.example.net', 'pbx.example.net'),
        proxy: fc.constantFrom('sip.example.net', 'proxy.example.net:5080'),
        register: flag,
        networks: fc.constantFrom(['198.51.100.0/24'], ['198.51.100.0/24', '203.0.113.7/32']),
        transport: fc.constantFrom('udp', 'tls'),
        srtp: fc.constant('off'),
        expires: fc.constantFrom(600, 60),
        caller_id: fc.constantFrom('number:4930', 'account'),
        codecs: fc.subarray(['PCMA', 'PCMU']),
        enabled: flag,
        profile: fc.constant('external'),
        username: fc.constantFrom('pbx', '0'),
        password: fc.constant('${env:SECRET}'),
      }),
      fc.record({ from_user: fc.constant('123'), max_calls: fc.constantFrom(1, 1000) }, { requiredKeys: [] }),
    )
    .map(([trunk, rest]) => Object.assign({}, trunk, rest)),
)

const hooks = fc.array(
  fc.record({
    event: fc.constantFrom('CHANNEL_CREATE', 'CHANNEL_ANSWER'),
    description: fc.constantFrom('', 'crm', 'yes'),
    enable: flag,
    method: fc.constantFrom('POST', 'GET'),
    url: fc.constantFrom('https://a.example.net/', 'https://b.example.net/x?y=1'),
    fields: fc.subarray(['Event-Name', 'Unique-ID']),
    map: fc.dictionary(fc.constantFrom('Unique-ID', 'a'), fc.constantFrom('id', 'true')),
    filter: fc.dictionary(
      fc.constantFrom('Call-Direction'),
      fc.record({ operation: fc.constantFrom('==', '!='), value: fc.constantFrom('inbound', 1, true, null, '1') }),
    ),
    headers: fc.record(
      { 'X-Api-Key': fc.constant('${env:HEADER}'), 'X-Shop': fc.constantFrom('1', 'no') },
      { requiredKeys: [] },
    ),
    auth: fc.record({
      enabled: fc.constant(false),
      url: fc.constantFrom('', 'https://auth.example.net/'),
      method: fc.constantFrom('GET', 'POST'),
      headers: fc.record({ Authorization: fc.constant('${env:HEADER}') }, { requiredKeys: [] }),
      map: fc.record(
        { password: fc.constant('${env:HEADER}'), user: fc.constantFrom('callplane', 'no') },
        { requiredKeys: [] },
      ),
      cookie: flag,
    }),
    customBody: fc.constant(false),
    rawBody: fc.constantFrom('', '{\n  "a": "${Unique-ID}"\n}\n'),
    retries: fc.integer({ min: 0, max: 10 }),
  }),
  { maxLength: 3 },
)

/** Domains that are likely to share names, numbers and contents with others of their kind. */
export const domains: fc.Arbitrary<DomainState> = roles.chain((known) =>
  fc
    .record({
      parameters,
      variables,
      roles: fc.constant(known),
      accounts: accounts(Object.keys(known)),
      blacklists,
      email,
      gateways,
      routes,
      publicRoutes,
      hooks,
    })
    .map((sections) => completed({ domain, ...sections }, empty)),
)
