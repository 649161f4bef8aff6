import { describe, expect, it } from 'vitest'
import { handler as createAccount } from '../../../functions/accounts/create-account.ts'
import { handler as readAccount } from '../../../functions/accounts/read-account.ts'
import { handler as updateAccount } from '../../../functions/accounts/update-account.ts'
import { handler as readDomain } from '../../../functions/domains/read-domain.ts'
import { handler as updateParameters } from '../../../functions/domains/update-domain-parameters.ts'
import { handler as updateVariables } from '../../../functions/domains/update-domain-variables.ts'
import { handler as readDefaultRoute } from '../../../functions/default-routes/read-default-route.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { askDirectory, directoryForm } from '../../support/platform/directory-reader.ts'
import { aDomain, aRoute } from '../../support/records/records.ts'

const domain = 'a.example.com'
const params = { domain_name: domain }
const attack = "'system:touch /tmp/pwned' inline"

/** A tenant with settings that were stored before the closed lists. */
async function setUp() {
  const api = anApi()
  await api.ports.domains.create(
    aDomain({
      name: domain,
      createdAt: 0,
      variables: { inbound_dialplan: 'inline', default_language: 'uk', default_blacklist: 'spam', x_note: 'a' },
      parameters: {
        'vm-operator-extension': attack,
        'vm-enabled': 'true',
        'x-note': '1',
        'recording-retention-days': '30',
      },
    }),
  )
  const admin = { ...(await api.as(await api.account({ role: 'admin' }))) }
  await api.account({
    login: '1001',
    parameters: {
      'vm-operator-extension': attack,
      'vm-enabled': 'yes',
      'vm-mailto': 'me@example.com',
      'cc-agent-contact': 'user/1000@b.example.com',
      'x-badge': '7',
      'vm-a1-hash': 'b'.repeat(32),
    },
    variables: {
      inbound_dialplan: 'inline',
      effective_caller_id_name: '${system(id)}',
      default_language: 'uk',
      x_n: '1',
    },
  })
  const account = { params: { account_id: '1001' }, headers: admin }
  return { api, admin, account }
}

const served = async (api: Api) => askDirectory(api, directoryForm({ user: '1001', domain }))

describe('settings of an account that were stored before the closed lists', () => {
  it('account settings from before the closed lists stay readable, are named under ignored, and are not served to the engine', async () => {
    const { api, account } = await setUp()

    const { body } = await api.call(readAccount, account)
    const { users, text } = await served(api)

    expect(body.data).toMatchObject({
      'vm-operator-extension': attack,
      'vm-enabled': 'yes',
      variable_inbound_dialplan: 'inline',
      variable_effective_caller_id_name: '${system(id)}',
      variable_default_language: 'uk',
    })
    expect(body.data.ignored.split(',').sort()).toEqual([
      'cc-agent-contact',
      'variable_effective_caller_id_name',
      'variable_inbound_dialplan',
      'vm-enabled',
      'vm-operator-extension',
    ])
    expect(users[0].params).toMatchObject({ 'cc-agent': 'false', 'vm-a1-hash': 'b'.repeat(32) })
    expect(users[0].params).not.toHaveProperty('vm-enabled')
    expect(users[0].variables).toMatchObject({
      effective_caller_id_name: '1001',
      default_language: 'uk',
      x_n: '1',
    })
    expect(text).not.toMatch(/pwned|inline|operator|b\.example\.com|badge/)
  })

  it('account settings from before the closed lists can be removed, and then nothing is ignored any more', async () => {
    const { api, account } = await setUp()
    const parameters = ['vm-operator-extension=', 'vm-enabled=true', 'cc-agent-contact=']
    const variables = ['inbound_dialplan=', 'effective_caller_id_name=']

    const { status, body } = await api.call(updateAccount, { ...account, body: { parameters, variables } })

    expect(status).toBe(200)
    expect(body.info).not.toHaveProperty('ignored')
    expect(await api.call(updateAccount, { ...account, body: { variables } })).toMatchObject({
      status: 400,
      body: { code: 'invalid_field', details: [{ field: 'variables[0]' }] },
    })
  })

  it('account settings from before the closed lists outlive an update of other settings', async () => {
    const { api, account } = await setUp()

    const { body } = await api.call(updateAccount, { ...account, body: { variables: ['timezone=UTC'] } })

    expect(body.info.variable_inbound_dialplan).toBe('inline')
    expect((await served(api)).text).not.toContain('inline')
  })
})

describe('settings of a domain that were stored before the closed lists', () => {
  it('domain settings from before the closed lists stay readable, are named under ignored, and are not served to the engine', async () => {
    const { api, admin } = await setUp()

    const { body } = await api.call(readDomain, { params, headers: admin })
    const { params: parameters, variables } = await served(api)

    expect(body.info.variables).toContain('inbound_dialplan=inline')
    expect(body.info.parameters).toContain(`vm-operator-extension=${attack}`)
    expect(body.info.ignored).toEqual(['parameters.vm-operator-extension', 'variables.inbound_dialplan'])
    expect(variables).toEqual({ default_language: 'uk', x_note: 'a' })
    expect(parameters).toEqual({ 'vm-enabled': 'true', 'dial-string': expect.stringContaining('sofia_contact') })
  })

  it('domain settings from before the closed lists can be removed, and then nothing is ignored any more', async () => {
    const { api, admin } = await setUp()

    await api.call(updateVariables, { params, headers: admin, body: ['inbound_dialplan='] })
    const { body } = await api.call(updateParameters, { params, headers: admin, body: ['vm-operator-extension='] })

    expect(body.info).not.toHaveProperty('ignored')
    expect(await api.call(updateVariables, { params, headers: admin, body: ['inbound_dialplan='] })).toMatchObject({
      status: 400,
      body: { code: 'invalid_field' },
    })
  })
})

it('a route that was stored before the closed lists names the places that are ignored', async () => {
  const { api, admin } = await setUp()
  const { defaultRoutes } = api.ports
  const callflow = [
    { setVar: ['x_a=1', 'inbound_dialplan=inline'] },
    { if: { expression: '1', then: [{ exportVars: { x_a: 'ARRAY::1' } }] } },
    { log: '${system(id)}' },
    { answer: '' },
  ]
  const route = aRoute({ domain, callflow })
  const sound = aRoute({ domain, order: 2 })
  for (const each of [route, sound]) await defaultRoutes.create(each, (await defaultRoutes.list(domain)).edition)
  const read = (route_id: string) => api.call(readDefaultRoute, { params: { route_id }, headers: admin })

  expect((await read(route.id)).body).toMatchObject({
    callflow,
    ignored: ['callflow[0].setVar[1]', 'callflow[1].if.then[0].exportVars', 'callflow[2].log'],
  })
  expect((await read(sound.id)).body).not.toHaveProperty('ignored')
})

describe('the contact of an agent', () => {
  it.each([
    ['user/1001', 'user/1001@a.example.com'],
    ['user/1001@A.Example.com', 'user/1001@a.example.com'],
    ['user/2000', 'user/2000@a.example.com'],
  ])('a setting %s from before is stored as %s and served', async (given, stored) => {
    const { api, admin } = await setUp()
    const body = { login: '2000', password: 's3cr3t-pass', role: 'user', parameters: [`cc-agent-contact=${given}`] }

    const { status, body: answer } = await api.call(createAccount, { headers: admin, body })

    expect([status, answer.data['cc-agent-contact']]).toEqual([200, stored])
    const { users } = await askDirectory(api, directoryForm({ user: '2000', domain }))
    expect(users[0].params['cc-agent-contact']).toBe(stored)
  })

  it.each([
    'user/9999',
    'user/1001@b.example.com',
    'user/',
    'sofia/gateway/x/1',
    'user/1001@a.example.com@b',
    'user/1001,user/1',
  ])('the contact of an agent that is %s is refused', async (given) => {
    const { api, account } = await setUp()

    expect(
      await api.call(updateAccount, { ...account, body: { parameters: [`cc-agent-contact=${given}`] } }),
    ).toMatchObject({ status: 400, body: { code: 'invalid_field', details: [{ field: 'parameters[0]' }] } })
  })
})
