import { expect, it } from 'vitest'
import { explain } from '../../../cli/document/explain.ts'
import { readPlan, writePlan } from '../../../cli/document/plan-file.ts'
import { checkUnchanged, makePlan } from '../../../cli/document/plan.ts'
import { applyPlan, findDomain } from '../../../cli/deploy/apply-plan.ts'
import { checkOwnAccount } from '../../../cli/deploy/own-account.ts'
import type { DomainDocument, DomainState } from '../../../cli/document/model.ts'
import { writeDocument } from '../../../cli/document/write-document.ts'
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
