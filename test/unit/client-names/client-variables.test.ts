import { describe, expect, it } from 'vitest'
import { readSettings as connectorSettings } from '../../../connector/settings.ts'
import { readClientVariables } from '../../../contracts/client-variables.ts'
import { isEngineName } from '../../../contracts/engine-names.ts'
import { assignmentProblem, servedSettings } from '../../../core/client-names/client-names.ts'
import { commandLine } from '../../../connector/commands/command-line.ts'
import { handler as readAccount } from '../../../functions/accounts/read-account.ts'
import { handler as updateAccount } from '../../../functions/accounts/update-account.ts'
import { handler as originate } from '../../../functions/channels/originate-call.ts'
import { handler as createRoute } from '../../../functions/default-routes/create-default-route.ts'
import { clientVariablesOf } from '../../../functions/client-variables.ts'
import { readSettings as localSettings } from '../../../local/settings/settings.ts'
import { anApi } from '../../support/platform/api.ts'
import { anOriginate } from '../../support/connector/command-message.ts'
import { askDirectory, directoryForm } from '../../support/platform/directory-reader.ts'

const setting = JSON.stringify({ tier: '[a-z]{1,8}', sip_h_X_Team: { pattern: '[0-9]+', force: true } })

async function setUp(env = { CLIENT_VARIABLES: setting }) {
  const api = anApi(env)
  const admin = { ...(await api.as(await api.account({ role: 'admin' }))) }
  const user = { ...(await api.as(await api.account({ login: '1001' }))) }
  const set = (variables: string[]) =>
    api.call(updateAccount, { params: { account_id: '1001' }, headers: admin, body: { variables } })
  return { api, admin, user, set }
}

describe('a name that the operator adds by clientVariables', () => {
  it('a name that the operator adds can be set on accounts, on calls of callers who may change accounts, and in callflows', async () => {
    const { api, admin, set } = await setUp()
    const callflow = [{ setVar: 'tier=gold' }]

    const answers = [
      await set(['tier=gold', 'sip_h_X_Team=7']),
      await api.call(originate, { headers: admin, body: { calledId: '9196', variables: { tier: 'gold' } } }),
      await api.call(createRoute, { headers: admin, body: { destination_number: '1', callflow } }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const { users } = await askDirectory(api, directoryForm({ user: '1001', domain: 'a.example.com' }))
    expect(users[0].variables).toMatchObject({ tier: 'gold', sip_h_X_Team: '7' })
  })

  it('a value that the engine expands is refused and not served, even if the pattern accepts everything', () => {
    const context = { added: new Map([['tier', () => true]]) }
    const stored = { tier: '${system id}' }

    expect(assignmentProblem('accountVariables', 'tier', stored.tier, context)).toContain('which the engine expands')
    expect(servedSettings('accountVariables', stored, context)).toEqual({ served: {}, ignored: ['tier'] })
  })

  it.each(['\ufffe', 'a\uffff'])(
    'the value %j, which XML cannot hold, is refused even if the pattern accepts everything',
    (value) => {
      const context = { added: new Map([['tier', () => true]]) }

      expect(assignmentProblem('accountVariables', 'tier', value, context)).toContain('non-characters')
      expect(servedSettings('accountVariables', { tier: value }, context)).toEqual({ served: {}, ignored: ['tier'] })
    },
  )

  it.each(['tier=GOLD', 'tier=gold silver', 'tier=gold1', 'tier=${x}', 'Tier=gold'])(
    'a name that the operator adds does not accept %s, since the pattern must match the whole value',
    async (assignment) => {
      const { set } = await setUp()

      expect(await set([assignment])).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
    },
  )

  it('a name that the operator adds is refused on a call of a user who may not change accounts', async () => {
    const { api, user } = await setUp()
    const body = { calledId: '9196', variables: { tier: 'gold' } }

    expect(await api.call(originate, { headers: user, body })).toMatchObject({ status: 400 })
  })

  it('a name that the operator added is ignored after the operator has removed it', async () => {
    const { api, admin } = await setUp({ CLIENT_VARIABLES: '' })
    await api.account({ login: '1002', variables: { tier: 'gold' } })

    const { body } = await api.call(readAccount, { params: { account_id: '1002' }, headers: admin })

    expect(body.data).toMatchObject({ variable_tier: 'gold', ignored: 'variable_tier' })
  })

  it('a name that the operator adds can appear in an engine command, which refuses it without the setting', () => {
    const command = anOriginate({ variables: { tier: 'gold' } })

    expect(commandLine(command, 'a.example.com', readClientVariables(setting))).toContain('tier=gold}')
    expect(() => commandLine(command, 'a.example.com')).toThrow('variables cannot stand in an engine command')
    expect(() =>
      commandLine(anOriginate({ variables: { tier: 'GOLD' } }), 'a.example.com', readClientVariables(setting)),
    ).toThrow('variables cannot stand')
  })
})

/** Values of the setting that cannot be used, and what the message says of each. */
const bad: readonly [string, RegExp][] = [
  ['tier', /JSON object/],
  ['["tier"]', /JSON object/],
  ['{"tier":1}', /JSON object/],
  ['{"a b":"x"}', /JSON object/],
  ['{"tier":{"pattern":"a","strength":true}}', /JSON object/],
  [JSON.stringify({ tier: 'a'.repeat(2_000) }), /up to 2000 characters/],
  ['{"tier":"(a"}', /tier is none/],
  [String.raw`{"tier":"(a)\\1"}`, /linear time, and that of tier is none/],
  ['{"inbound_dialplan":"XML"}', /inbound_dialplan without "force": true: the engine reads/],
  ['{"Inbound_Dialplan":{"pattern":"XML","force":false}}', /without "force": true/],
  ['{"sip_h_X-Team":"[0-9]+"}', /without "force": true/],
  ['{"execute_on_answer":"park"}', /without "force": true/],
  ['{"user_context":{"pattern":".*","force":true}}', /user_context, which the service sets itself/],
  ['{"originating_leg_uuid":{"pattern":".*","force":true}}', /which the service sets itself/],
  ['{"x_mine":".*"}', /every client may set names that begin with x_/],
]

describe('a setting clientVariables that cannot be used', () => {
  it.each(bad)('a setting %s stops npm start and the connector with its name', (text, problem) => {
    const connector = () =>
      connectorSettings({ ENGINE_URL: 'esl://:a@192.0.2.1', HEALTH_PORT: '0', CLIENT_VARIABLES: text })

    for (const start of [() => localSettings({ CLIENT_VARIABLES: text }), connector]) {
      expect(start).toThrow(/CLIENT_VARIABLES must /)
      expect(start).toThrow(problem)
    }
  })

  it('a malformed setting clientVariables fails the requests of functions that check names, and the error names the variable', async () => {
    const { set } = await setUp({ CLIENT_VARIABLES: 'tier' })

    expect(await set(['tier=gold'])).toMatchObject({ status: 500, body: { code: 'internal_error' } })
    expect(() => clientVariablesOf({ clientVariables: 'tier' })).toThrow('CLIENT_VARIABLES must be a JSON object')
  })
})

it('a name that the engine reads is recognised in any case of its letters, and by the prefix of its family', () => {
  const names = ['inbound_dialplan', 'INBOUND_DIALPLAN', 'vm-operator-extension', 'sip_h_X-Mine', 'execute_on_answer']

  expect(names.map(isEngineName)).toEqual(names.map(() => true))
  expect(['dial-var-tier', 'sip-tier', 'sip_h_tier'].map(isEngineName)).toEqual([true, true, true])
  expect(['tier', 'department', 'customer_number'].map(isEngineName)).toEqual([false, false, false])
})

it('the patterns of a setting are matched in linear time', () => {
  const [accepts] = readClientVariables(JSON.stringify({ tier: '(a*)*b' })).values()

  expect(accepts?.('a'.repeat(100_000))).toBe(false)
})
