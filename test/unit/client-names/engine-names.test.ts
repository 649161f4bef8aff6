import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { handler as createAccount } from '../../../functions/accounts/create-account.ts'
import { handler as updateAccount } from '../../../functions/accounts/update-account.ts'
import { handler as eavesdrop } from '../../../functions/channels/eavesdrop-channel.ts'
import { handler as originate } from '../../../functions/channels/originate-call.ts'
import { handler as createDomain } from '../../../functions/domains/create-domain.ts'
import { handler as updateParameters } from '../../../functions/domains/update-domain-parameters.ts'
import { handler as updateVariables } from '../../../functions/domains/update-domain-variables.ts'
import { handler as createRoute } from '../../../functions/default-routes/create-default-route.ts'
import { breadth } from '../../support/breadth.ts'
import { type ApiAnswer, anApi } from '../../support/platform/api.ts'

const { variables, parameters }: { variables: string[]; parameters: string[] } = JSON.parse(
  readFileSync('contracts/engine-variables.json', 'utf8'),
)

/** Names that the API can carry at all; the others are refused by their form. */
const engineNames = [...new Set([...variables, ...parameters])].filter((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))

/** The closed lists of the contract, as far as the engine reads their names. */
const voicemail = [
  'vm-enabled',
  'vm-attach-file',
  'vm-email-all-messages',
  'vm-notify-email-all-messages',
  'vm-keep-local-after-email',
  'vm-skip-instructions',
  'vm-mailto',
  'vm-notify-mailto',
  'vm-disk-quota',
  'vm-alternate-greet-id',
  'vm-message-ext',
]
const agent = ['cc-agent', 'cc-agent-type', 'cc-agent-contact', 'cc-agent-max-no-answer']
const callerIds = [
  'effective_caller_id_name',
  'effective_caller_id_number',
  'outbound_caller_id_name',
  'outbound_caller_id_number',
]
const ofCalls = ['call_timeout', 'default_language', 'timezone']
const ofTrusted = [...ofCalls, ...callerIds, 'toll_allow', 'callgroup']
const ofSteps = [...ofTrusted, 'default_areacode', 'directory_full_name']
const ofBridge = [
  ...ofSteps,
  'ignore_early_media',
  'bridge_early_media',
  'hangup_after_bridge',
  'continue_on_fail',
  'absolute_codec_string',
]
const ofProfile = ['caller_id_name', 'caller_id_number', 'callee_id_name', 'callee_id_number', 'ani', 'rdnis']

async function setUp() {
  const api = anApi()
  const admin = { ...(await api.as(await api.account({ role: 'admin' }))) }
  const user = { ...(await api.as(await api.account({ login: '1001' }))) }
  const root = { ...(await api.as('root')) }
  const params = { domain_name: 'a.example.com' }
  const call = { params: { channel_id: '6f1c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f' } }
  const account = { login: '2000', password: 's3cr3t-pass', role: 'user' }
  const step = (step: unknown) =>
    api.call(createRoute, { headers: admin, body: { destination_number: '1', callflow: [step] } })
  /** Each place where a client can set a name, and what the contract allows there. */
  const places: Record<string, [allowed: readonly string[], set: (name: string, value: string) => Promise<ApiAnswer>]> =
    {
      'a parameter of an account': [
        ['password', 'role', 'svc-extensions', 'vm-password', ...voicemail, ...agent],
        (name, value) =>
          api.call(updateAccount, {
            params: { account_id: '1001' },
            headers: admin,
            body: { parameters: [`${name}=${value}`] },
          }),
      ],
      'a variable of an account': [
        [...ofSteps, 'account_role'],
        (name, value) =>
          api.call(updateAccount, {
            params: { account_id: '1001' },
            headers: admin,
            body: { variables: [`${name}=${value}`] },
          }),
      ],
      'a parameter of a new account': [
        ['password', 'role', 'svc-extensions', 'vm-password', ...voicemail, ...agent],
        (name, value) =>
          api.call(createAccount, { headers: admin, body: { ...account, parameters: [`${name}=${value}`] } }),
      ],
      'a parameter of a domain': [
        ['vm-password', ...voicemail],
        (name, value) => api.call(updateParameters, { params, headers: admin, body: [`${name}=${value}`] }),
      ],
      'a variable of a domain': [
        ofSteps,
        (name, value) => api.call(updateVariables, { params, headers: admin, body: [{ key: name, value }] }),
      ],
      'a variable of a new domain': [
        ofSteps,
        (name, value) =>
          api.call(createDomain, {
            headers: root,
            body: { domain_name: 'new.example.com', customer_id: 'c', variables: [`${name}=${value}`] },
          }),
      ],
      'a variable of a call that an admin originates': [
        ofTrusted,
        (name, value) => api.call(originate, { headers: admin, body: { calledId: '1', variables: { [name]: value } } }),
      ],
      'a variable of a call that a user originates': [
        ofCalls,
        (name, value) => api.call(originate, { headers: user, body: { calledId: '1', variables: { [name]: value } } }),
      ],
      'a variable of a listening call': [
        ofTrusted,
        (name, value) => api.call(eavesdrop, { ...call, headers: admin, body: { variables: { [name]: value } } }),
      ],
      'setVar of a step': [ofSteps, (name, value) => step({ setVar: `${name}=${value}` })],
      'exportVars of a step': [ofSteps, (name, value) => step({ exportVars: { [name]: value } })],
      'setArray of a step': [ofSteps, (name, value) => step({ setArray: { [name]: [value] } })],
      'setProfileVar of a step': [ofProfile, (name, value) => step({ setProfileVar: `${name}=${value}` })],
      'a variable of an endpoint of bridge': [
        ofBridge,
        (name, value) => step({ bridge: { endpoints: [{ type: 'user', name: '1', variables: { [name]: value } }] } }),
      ],
      'a parameter of an endpoint of bridge': [
        ofBridge,
        (name, value) =>
          step({ bridge: { endpoints: [{ type: 'user', name: '1', parameters: [`${name}=${value}`] }] } }),
      ],
    }
  return { api, places }
}

/** Places whose names are judged by the list of another place, where all names are tried. Here every tenth is. */
const likeAnother = new Set([
  'a parameter of a new account',
  'a variable of a new domain',
  'a variable of a listening call',
  'exportVars of a step',
  'setArray of a step',
  'a parameter of an endpoint of bridge',
])

const { api, places } = await setUp()

describe('the names that the engine reads', () => {
  it('the list of names that the engine reads has more than a thousand, sorted and without repetition', () => {
    expect(variables.length).toBeGreaterThan(1_290)
    for (const list of [variables, parameters]) expect(list).toEqual([...new Set(list)].sort())
    expect(engineNames).toEqual(
      expect.arrayContaining(['inbound_dialplan', 'vm-operator-extension', 'execute_on_answer', 'api_hangup_hook']),
    )
  })

  it.each(Object.keys(places))(
    'no name that the engine reads can be set as %s unless the closed list has it',
    async (title) => {
      const [allowed = [], set] = places[title] ?? []
      const taken: string[] = []
      const every = likeAnother.has(title) ? 10 : breadth(3, 1)
      for (const name of engineNames.filter((name, index) => !allowed.includes(name) && index % every === 0)) {
        const answer = await set?.(name, '1')
        if (answer?.status !== 400 || answer.body.code !== 'invalid_field') taken.push(name)
      }

      expect(taken).toEqual([])
      expect(api.ports.engine.given.filter(({ command }) => /originate|eavesdrop/.test(command.kind))).toEqual([])
    },
    120_000,
  )
})

describe('a tenant that wants to run commands on the engine', () => {
  it.each([
    ['a user', 'vm-operator-extension=system:touch /tmp/pwned inline'],
    ['a user', "vm-operator-extension='system:touch /tmp/pwned' inline"],
    ['a user', 'vm-convert-cmd=touch /tmp/pwned'],
    ['an admin', 'vm-operator-extension=system:touch /tmp/pwned inline'],
  ])(
    'a tenant that wants to run commands on the engine is refused as %s who sets the parameter %s of the own account',
    async (who, parameter) => {
      const api = anApi()
      const account = await api.account({ role: who === 'a user' ? 'user' : 'admin' })

      const { status, body } = await api.call(updateAccount, {
        params: { account_id: account.login },
        headers: { ...(await api.as(account)) },
        body: { parameters: [parameter] },
      })

      expect([status, body.code]).toEqual([400, 'invalid_field'])
      expect(body.details[0]).toMatchObject({
        field: 'parameters[0]',
        problem: expect.stringContaining('begins with x-'),
      })
      expect(await api.ports.accounts.read('a.example.com', account.login)).toEqual(account)
    },
  )

  it.each(['inbound_dialplan=inline', 'INBOUND_DIALPLAN=inline', 'dialplan=inline', 'x-pre-process=exec'])(
    'a tenant is refused as an admin who sets the variable %s on an account, and the answer names the way out',
    async (variable) => {
      const { status, body } = (await places['a variable of an account']?.[1](
        ...(variable.split('=') as [string, string]),
      )) ?? { status: 0, body: {} }

      expect([status, body.code]).toEqual([400, 'invalid_field'])
      expect(body.info).toMatch(
        /^variables\[0\]: .*is not a name that clients may set here .*begins with x_.*clientVariables/,
      )
    },
  )

  it.each([
    'x_a=${system(touch /tmp/pwned)}',
    'x_a=$${system(touch)}',
    'x_a=ARRAY::a|:b',
    'x_a=^^:a',
    'x_a=1000:_:sofia/external/1000@example.com',
    'x_a=<X-PRE-PROCESS cmd="exec">',
    'x_a=X-Pre-Process',
    'effective_caller_id_name=x-PRE-process',
    'toll_allow=x-pre-process',
    'timezone=UTC;system',
    'call_timeout=1 inline',
  ])('a tenant that wants to run commands on the engine is refused the value of %s', async (assignment) => {
    const api = anApi()
    const headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
    const request = { params: { account_id: '1000' }, headers, body: { variables: [assignment] } }

    expect(await api.call(updateAccount, request)).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
  })
})
