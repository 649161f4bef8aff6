import { expect, it } from 'vitest'
import { explain } from '../../../cli/document/explain.ts'
import { readPlan, writePlan } from '../../../cli/document/plan-file.ts'
import { checkUnchanged, makePlan } from '../../../cli/document/plan.ts'
import { applyPlan, findDomain } from '../../../cli/deploy/apply-plan.ts'
import { checkOwnAccount } from '../../../cli/deploy/own-account.ts'
import type { DomainDocument, DomainState } from '../../../cli/document/model.ts'
import { writeDocument } from '../../../cli/document/write-document.ts'
import { formOfListed } from '../../../core/blacklists/number-form.ts'
import { listedNumber } from '../../../cli/document/listed-number.ts'
import { aDomainInMemory, adminAccount, documentOf } from './domains.ts'

const desk = 'accounts:\n  1000: {role: admin}\n'
const numbered = (a: string, b: string) =>
  documentOf(
    `${desk}  alice: {password: "\${env:SECRET}", parameters: {svc-extensions: "${a}"}}\n  bob: {password: "\${env:SECRET}", parameters: {svc-extensions: "${b}"}}\n`,
  )

it('accounts that swap their numbers first release them', async () => {
  const { apply, read } = await aDomainInMemory()
  await apply(numbered('201,202', '203'))

  const steps = await apply(numbered('203', '201,202'))

  expect(steps).toBe(4)
  expect((await read()).accounts['alice']?.parameters).toEqual({ 'svc-extensions': '203' })
})

it("numbers that are another account's login are refused before the first step", async () => {
  const { apply, read } = await aDomainInMemory()
  const named = (a: string, b: string) =>
    documentOf(
      `${desk}  1001: {password: "\${env:SECRET}", parameters: {svc-extensions: "${a}"}}\n  1002: {password: "\${env:SECRET}", parameters: {svc-extensions: "${b}"}}\n`,
    )
  await apply(named('1002', '1001'))
  const before = await read()

  await expect(apply(documentOf(`${desk}  1001: {}\n  1002: {}\n`))).rejects.toThrow('in a document of its own')
  expect(await read()).toEqual(before)
})

it('a new account without a password is refused unless one may be generated', async () => {
  const { deps, target, api, kept, apply, read } = await aDomainInMemory()
  const document = documentOf(`${desk}  alice: {}\n`)
  const { keep: _keep, ...secrets } = deps.secrets
  const found = await findDomain(target, api.clock.now())
  const plan = makePlan(found.state, document, api.clock.now())

  await expect(applyPlan(plan, found, { ...deps, secrets })).rejects.toThrow(
    'accounts.alice: is new and needs a password',
  )
  await apply(document)

  expect(kept).toEqual(['password of alice'])
  expect(Object.keys((await read()).accounts)).toEqual(['1000', 'alice'])
})

it('a planned change keeps stored secrets, and the signing secret of a hook', async () => {
  const { api, apply, read, client } = await aDomainInMemory()
  const hook = (retries: number, key: string) =>
    documentOf(
      `hooks:\n  - {event: DTMF, url: "https://a.example.net/", retries: ${retries}, headers: {X-Api-Key: "${key}"}}\n`,
    )
  await apply(hook(1, '${env:HEADER}'))
  const [before] = [...api.ports.state.hooks.values()]

  await apply(hook(2, '********'))

  const [after] = [...api.ports.state.hooks.values()]
  expect(after).toMatchObject({ id: before?.id, secrets: before?.secrets, headers: { 'X-Api-Key': 'Bearer of-env' } })
  expect((await read()).hooks[0]?.headers).toEqual({ 'X-Api-Key': '********' })
  expect(client.token).toBeDefined()
})

it('a gateway gets its password from the environment, no export shows it, and a change keeps it', async () => {
  const { api, apply, read } = await aDomainInMemory()
  const trunk = (expires: number, password: string) =>
    documentOf(
      `gateways:\n  trunk: {realm: sip.example.net, username: pbx, password: "${password}", expires: ${expires}}`,
    )
  await apply(trunk(600, '${env:SECRET}'))
  const [before] = [...api.ports.state.gateways.values()]

  await apply(trunk(60, '********'))

  const [after] = [...api.ports.state.gateways.values()]
  expect(after).toMatchObject({ expires: 60, sealedPassword: before?.sealedPassword })
  expect(writeDocument(await read())).not.toContain('s3cr3t-of-env')
  expect(writeDocument(await read())).toContain('password: "********"')
})

it('a gateway is made before the public route for its calls, and removed after it', async () => {
  const { apply, read, api } = await aDomainInMemory()
  const whole = documentOf(
    'gateways: {trunk: {realm: sip.example.net, register: false, networks: [198.51.100.0/24]}}\n' +
      'routes: {public: [{pattern: ^4930(\\d+)$, gateway: trunk, callflow: [{goto: "1000"}]}]}',
  )
  const kinds = (document: DomainDocument, state: DomainState) =>
    makePlan(state, document, api.clock.now()).steps.map(({ kind }) => kind)

  expect(kinds(whole, await read())).toEqual(['gateway', 'publicRoute'])
  await apply(whole)
  expect((await read()).publicRoutes).toMatchObject([{ pattern: '^4930(\\d+)$', gateway: 'trunk' }])
  expect(kinds(documentOf('gateways: {}\nroutes: {public: []}'), await read())).toEqual(['publicRoute', 'gateway'])
})

it('a new record whose secret is only a mask is refused', async () => {
  const { apply } = await aDomainInMemory()

  await expect(apply(documentOf('email: {host: mail.example.com, pass: "********"}'))).rejects.toThrow(
    'email settings: pass is "********", but nothing is stored that could be kept',
  )
})

it('a plan is refused if a record is neither as planned from nor as planned to', async () => {
  const { api, target, apply, read } = await aDomainInMemory()
  await apply(documentOf('variables: {x_a: "1"}'))
  const plan = makePlan(await read(), documentOf('variables: {x_a: "2"}\nblacklists: {spam: [1]}'), api.clock.now())
  await apply(documentOf('variables: {x_a: "3"}'))

  const { state } = await findDomain(target, api.clock.now())
  expect(() => checkUnchanged(plan, state)).toThrow('the domain changed since it was planned (variables): plan again')
})

const route = (name: string) => `{pattern: "^1$", name: ${name}, callflow: [{hangup: ""}]}`
const hookOf = (url: string) => `{event: DTMF, url: "https://${url}.example.net/"}`

it.each([
  ['a role', 'roles: {lead: {parent: user}}', 'roles: {lead: {parent: user}, more: {parent: user}}'],
  ['an account', desk, `${desk}  1001: {password: "\${env:SECRET}"}`],
  ['a number of a blacklist', 'blacklists: {spam: [1]}', 'blacklists: {spam: [1, 2]}'],
  [
    'a gateway',
    'gateways: {}',
    'gateways: {trunk: {realm: sip.example.net, register: false, networks: [198.51.100.0/24]}}',
  ],
  ['the email settings', 'email: null', 'email: {host: mail.example.com}'],
  ['a default route', `routes: {default: [${route('a')}]}`, `routes: {default: [${route('a')}, ${route('b')}]}`],
  [
    'a default route like another',
    `routes: {default: [${route('a')}]}`,
    `routes: {default: [${route('a')}, ${route('a')}]}`,
  ],
  [
    'a public route like another',
    `routes: {public: [${route('a')}]}`,
    `routes: {public: [${route('a')}, ${route('a')}]}`,
  ],
  ['a hook', `hooks: [${hookOf('a')}]`, `hooks: [${hookOf('a')}, ${hookOf('b')}]`],
  ['a hook like another', `hooks: [${hookOf('a')}]`, `hooks: [${hookOf('a')}, ${hookOf('a')}]`],
])('a plan is refused if %s was added or removed since, and applying it changes nothing', async (_what, less, more) => {
  for (const [planned, meanwhile] of [
    [less, more],
    [more, less],
  ] as const) {
    const { api, target, deps, apply, read } = await aDomainInMemory()
    await apply(documentOf(planned))
    const plan = makePlan(await read(), documentOf(`${planned}\nvariables: {x_a: "2"}`), api.clock.now())
    await apply(documentOf(meanwhile))
    const before = await read()

    const applying = findDomain(target, api.clock.now()).then((found) => applyPlan(plan, found, deps))

    await expect(applying).rejects.toThrow(/the domain changed since it was planned \(.+\): plan again/)
    expect(await read()).toEqual(before)
  }
})

it('a plan whose result somebody changed before its last step says so instead of reporting success', async () => {
  const { api, target, deps, client, read } = await aDomainInMemory()
  const found = await findDomain(target, api.clock.now())
  const plan = makePlan(found.state, documentOf('variables: {x_a: "2"}\nblacklists: {spam: [1]}'), api.clock.now())
  const taken: string[] = []
  const report = ({ kind }: { readonly kind: string }) => void taken.push(kind)
  const params = { blacklist_name: 'spam', blacklist_number: '1' }
  const call = client.call.bind(client)
  client.call = async (name, ...given) => {
    const answer = await call(name, ...given)
    if (name === 'updateDomainVariables')
      await call('removeBlacklistNumber', { params, query: { domain: target.domain } })
    return answer
  }

  await expect(applyPlan(plan, found, { ...deps, report })).rejects.toThrow(
    'every step was taken, but blacklist spam: 1 is not as the document says',
  )
  expect([taken, (await read()).variables]).toEqual([['blacklist', 'variables'], { x_a: '2' }])
})

it('every step that changes or removes a record with a version demands the version that was read', async () => {
  const { apply, read, sent } = await aDomainInMemory()
  const whole = (text: string) => `
roles: {lead: {parent: user, allows: {hook: [${text === 'a' ? 'r' : 'c'}]}}}
${desk}  alice: {password: "\${env:SECRET}", variables: {x_a: ${text}}}
parameters: {x-note: ${text}}
variables: {x_a: ${text}}
email: {host: mail.example.com, description: ${text}}
gateways: {trunk: {realm: ${text}.example.net, register: false, networks: [198.51.100.0/24]}}
routes: {default: [{pattern: "^1$", description: ${text}}], public: [{pattern: "^1$", description: ${text}}]}
hooks: [{event: DTMF, url: "https://a.example.net/", description: ${text}}]
`
  const none = `roles: {}\n${desk}\nparameters: {}\nvariables: {}\nemail: null\ngateways: {}\nroutes: {default: [], public: []}\nhooks: []`
  await apply(documentOf(whole('a')))
  sent.length = 0

  expect([await apply(documentOf(whole('b'))), await apply(documentOf(none))]).toEqual([9, 9])

  const changes = sent.filter(({ method }) => ['PUT', 'PATCH', 'DELETE'].includes(method))
  expect(changes.filter(({ headers }) => (headers['if-match'] ?? '') === '').map(({ path }) => path)).toEqual([])
  expect([changes.length, (await read()).gateways]).toEqual([18, {}])
})

it('an interrupted plan continues where it stopped', async () => {
  const { api, target, deps, apply, read } = await aDomainInMemory()
  const plan = makePlan(await read(), documentOf('variables: {x_a: "2"}\nblacklists: {spam: [1, 2]}'), api.clock.now())
  await apply(documentOf('blacklists: {spam: [2]}'))

  const steps = await applyPlan(plan, await findDomain(target, api.clock.now()), deps)

  expect(steps).toBe(2)
  expect(Object.keys((await read()).blacklists['spam'] ?? {})).toEqual(['1', '2'])
})

it('a record that changes between the check and its step is not overwritten', async () => {
  const { api, target, deps, apply, read, client } = await aDomainInMemory()
  await apply(documentOf('variables: {x_a: "1"}'))
  const found = await findDomain(target, api.clock.now())
  const plan = makePlan(found.state, documentOf('variables: {x_a: "2"}'), api.clock.now())
  await client.call('updateDomainVariables', { params: { domain_name: target.domain }, body: ['x_a=9'] })

  await expect(applyPlan(plan, found, deps)).rejects.toThrow('variables of the domain changed since it was planned')
  expect((await read()).variables).toEqual({ x_a: '9' })
})

it.each<[string, (text: string) => string]>([
  ['role lead', (text) => `roles: {lead: {parent: user, allows: {hook: [${{ a: 'r', b: 'c', c: 'u' }[text]}]}}}`],
  ['account alice', (text) => `${desk}  alice: {password: "\${env:SECRET}", variables: {x_a: ${text}}}`],
  ['blacklist spam: 1', (text) => `blacklists: {spam: {"1": {note: ${text}}}}`],
  ['parameters of the domain', (text) => `parameters: {x-note: ${text}}`],
  ['email settings', (text) => `email: {host: mail.example.com, description: ${text}}`],
  [
    'gateway trunk',
    (text) => `gateways: {trunk: {realm: ${text}.example.net, username: a, password: "\${env:SECRET}"}}`,
  ],
  ['route', (text) => `routes: {default: [{pattern: "^1$", description: ${text}}]}`],
  ['public route', (text) => `routes: {public: [{pattern: "^1$", description: ${text}}]}`],
  ['hook', (text) => `hooks: [{event: DTMF, url: "https://a.example.net/", description: ${text}}]`],
])('what changes between the check of a plan and the step that changes it stays as it is: %s', async (named, of) => {
  const { api, target, deps, apply, read } = await aDomainInMemory()
  await apply(documentOf(of('a')))
  const found = await findDomain(target, api.clock.now())
  const plan = makePlan(found.state, documentOf(of('b')), api.clock.now())
  await apply(documentOf(of('c')))
  const meanwhile = await read()

  const applying = applyPlan(plan, found, deps)

  await expect(applying).rejects.toThrow(named)
  await expect(applying).rejects.toThrow('changed since it was planned, and stays as it is: plan again')
  expect(await read()).toEqual(meanwhile)
})

it('a plan is read back from its file, and an edited file is refused', async () => {
  const { api, read } = await aDomainInMemory()
  const plan = makePlan(await read(), documentOf('variables: {x_a: "2"}'), api.clock.now())
  const text = writePlan(plan)

  expect(readPlan(text, 'acme.plan')).toEqual(plan)
  expect(() => readPlan(text.replace('"x_a": "2"', '"x_a": "3"'), 'acme.plan')).toThrow('acme.plan: is a damaged plan')
  expect(readPlan('callplane: 1\n', 'acme.yaml')).toBeUndefined()
})

it('a plan is explained by its additions, changes and removals, without control characters', async () => {
  const { api, apply, read } = await aDomainInMemory()
  await apply(documentOf('variables: {x_a: "1", x_b: "2"}\nblacklists: {spam: [1]}'))
  const many = Array.from({ length: 12 }, (_, index) => 100 + index).join(', ')
  const document = documentOf(`variables: {x_a: "3", x_c: "\\u009b"}\nblacklists: {bad: [${many}]}`)

  const lines = explain(makePlan(await read(), document, api.clock.now()).steps)

  expect(lines.slice(0, 2)).toEqual(['+ blacklist bad: 100', '+ blacklist bad: 101'])
  expect(lines.slice(10)).toEqual([
    '~ variables of the domain',
    '    ~ x_a: "1" -> "3"',
    '    - x_b: "2"',
    String.raw`    + x_c: "\u009b"`,
    '- blacklist spam: 1',
    '+ blacklist bad: 2 further numbers',
  ])
})

it('a refusal of the platform names the step of the plan that it ended', async () => {
  const { apply } = await aDomainInMemory()
  const account = { ...adminAccount, variables: { timezone: 'Nowhere' }, password: '${env:SECRET}' }

  await expect(apply({ ...documentOf(''), accounts: { '1000': adminAccount, alice: account } })).rejects.toThrow(
    'account alice: POST',
  )
})

it.each(['accounts:\n  1001: {}\n', 'accounts:\n  1000: {role: user}\n'])(
  'a plan that removes the account of its user or changes its role is refused (%j)',
  async (text) => {
    const { api, admin, targetOf, read } = await aDomainInMemory()
    const plan = makePlan(await read(), documentOf(text), api.clock.now())

    await expect(checkOwnAccount(await targetOf(admin), plan)).rejects.toThrow('your own account 1000')
    await expect(checkOwnAccount(await targetOf('root'), plan)).resolves.toBeUndefined()
  },
)

it('root may remove an account whose login is a prefix of its own name', async () => {
  const { api, target, read } = await aDomainInMemory()
  await api.account({ login: 'roo', domain: target.domain, role: 'user' })
  const plan = makePlan(await read(), documentOf(desk), api.clock.now())

  expect(plan.steps).toContainEqual(expect.objectContaining({ name: 'roo', after: null }))
  await expect(checkOwnAccount(target, plan)).resolves.toBeUndefined()
})

it('a number of a blacklist is the same in every spelling, by the country of the domain', async () => {
  const { apply } = await aDomainInMemory()
  const document = documentOf(`
parameters: {country-code: "44"}
blacklists:
  spam: {"0207 183 8750": {note: london}, "0044 20 7946 0000": {}, "112": {}, "Anonymous": {}}
`)

  expect(await apply(document)).toBe(5)
  expect(await apply(document)).toBe(0)
})

it('a document that names the country of a domain for the first time, or no more, keeps the numbers of its blacklists', async () => {
  const { apply, read } = await aDomainInMemory()
  const listed = 'blacklists: {spam: {"02071838750": {note: london}}}'
  const named = `parameters: {country-code: "44"}\n${listed}`

  expect(await apply(documentOf(listed))).toBe(1)
  expect([await apply(documentOf(named)), await apply(documentOf(named))]).toEqual([1, 0])
  expect((await read()).blacklists).toMatchObject({ spam: expect.toSatisfy((spam) => Object.keys(spam).length === 1) })
  await apply(documentOf(`parameters: {}\n${listed}`))
  expect(await apply(documentOf(`parameters: {}\n${listed}`))).toBe(0)
  expect((await read()).blacklists).toEqual({ spam: { '02071838750': { note: 'london' } } })
})

it('a document compares numbers of blacklists in the form in which the platform keeps them', () => {
  const digits = ['', '+', '0', '00', '44', '044', '0044', '+44', '1', '11', '011', '8', '810', '(0) 44-']
  const spellings = digits.flatMap((start) => ['', '2', '20 7183', '2071838750'].map((rest) => start + rest))
  const countries: Record<string, string>[] = [
    {},
    { 'country-code': '44' },
    { 'country-code': '39', 'national-prefix': 'none' },
    { 'country-code': '1', 'international-prefix': '011', 'national-prefix': '1' },
    { 'country-code': '7', 'international-prefix': '810', 'national-prefix': '8' },
  ]
  for (const country of countries) {
    for (const written of [...spellings, 'Anonymous', 'AB-12', '*5', '#1']) {
      expect([written, listedNumber(written, country)]).toEqual([written, formOfListed(written, country)])
    }
  }
})
