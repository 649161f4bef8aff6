import { describe, expect, it } from 'vitest'
import { DomainError } from '../../../core/errors.ts'
import { aCallSetup, chosenUuid } from '../../support/platform/call-setup.ts'
import { aCaller, aRoot } from '../../support/platform/caller.ts'

describe('a call', () => {
  it('an originate rings the caller and is one command with the uuid that the service chose', async () => {
    const { originate, commands } = await aCallSetup({ outcome: { state: 'done', text: `+OK ${chosenUuid}\n` } })

    const answer = await originate({ calledId: '+4989*1#' })

    expect(answer).toEqual({ status: 'OK', info: `+OK ${chosenUuid}\n` })
    expect(commands()).toEqual([
      {
        command: {
          kind: 'originate',
          uuid: chosenUuid,
          calledId: '+4989*1#',
          callerId: '1000',
          timeoutSeconds: 60,
          autoAnswer: undefined,
          variables: {},
        },
        scope: { domain: 'a.example.com', presenceId: null },
        waitMs: 20_000,
      },
    ])
  })

  it('an originate command contains the fields of the request', async () => {
    const { originate, commands } = await aCallSetup()

    await originate({
      calledId: 'anna',
      callerId: '1001@A.Example.Com',
      auto_answer_param: 'sip_h_Call-Info=<sip:x>;answer-after=0',
      variables: { x_mine: 'a b', toll_allow: 'local,international' },
      timeout: 5,
    })

    expect(commands()[0]?.command).toMatchObject({
      calledId: 'anna',
      callerId: '1001',
      timeoutSeconds: 5,
      autoAnswer: { name: 'sip_h_Call-Info', value: '<sip:x>;answer-after=0' },
      variables: { x_mine: 'a b', toll_allow: 'local,international' },
    })
  })

  it('originating a call returns the channel that the engine actually created', async () => {
    const made = '+OK 11111111-2222-4333-8444-555555555555\n'
    const { originate } = await aCallSetup({ outcome: { state: 'done', text: made } })

    expect(await originate({ calledId: '1001' })).toEqual({ status: 'OK', info: made })
  })

  it.each([
    ['no answer came in time', undefined],
    ['the connector saw no answer in time', { state: 'unknown', reason: 'timeout' } as const],
  ])('a call is pending when %s', async (_title, outcome) => {
    const { originate } = await aCallSetup({ outcome })

    expect(await originate({ calledId: '1001' })).toEqual({
      status: 'OK',
      info: `+OK ${chosenUuid}\n`,
      pending: true,
    })
  })
})

describe('a call whose caller does not wait', () => {
  it('an originate with wait "none" is queued once for its command id, and is pending at once', async () => {
    const { originate, commands } = await aCallSetup({ outcome: { state: 'refused', text: '-ERR USER_BUSY\n' } })

    const answer = await originate({ calledId: '9196', wait: 'none' })

    expect(answer).toEqual({ status: 'OK', info: `+OK ${chosenUuid}\n`, pending: true })
    expect(commands()).toMatchObject([{ command: { kind: 'originate', uuid: chosenUuid } }])
    expect(commands()[0]).not.toHaveProperty('waitMs')
  })

  it('an originate with wait "none" counts as a live call of its domain', async () => {
    const { originate, ports } = await aCallSetup()

    await originate({ calledId: '9196', wait: 'none' })

    expect(await ports.knownCalls.listPlaced('a.example.com')).toMatchObject([{ uuid: chosenUuid }])
  })

  it('an originate with wait "none" that was not queued does not count as a live call', async () => {
    const { originate, ports } = await aCallSetup()
    ports.engine.send = async () => {
      throw new DomainError('store_unavailable', 'the queue refused it')
    }

    await expect(originate({ calledId: '9196', wait: 'none' })).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(await ports.knownCalls.listPlaced('a.example.com')).toEqual([])
  })

  it('an originate refuses a wait that is neither "answer" nor "none"', async () => {
    const { originate } = await aCallSetup()

    await expect(originate({ calledId: '9196', wait: 'some' })).rejects.toMatchObject({ code: 'invalid_field' })
  })
})

describe('the caller of a call', () => {
  it('a calling account in another domain is refused, whether it exists there or not', async () => {
    const { originate, commands } = await aCallSetup()

    await expect(originate({ calledId: '9196', callerId: '1000@b.example.com' })).rejects.toMatchObject({
      code: 'permission_denied',
    })
    expect(commands()).toEqual([])
  })

  it('a calling account that does not exist is not found', async () => {
    const { originate, commands } = await aCallSetup()

    await expect(originate({ calledId: '9196', callerId: '4711' })).rejects.toMatchObject({ code: 'not_found' })
    expect(commands()).toEqual([])
  })

  it.each(['1001', '1001@a.example.com', '4711'])(
    'the calling account may not be %s for a caller that may place only its own calls',
    async (callerId) => {
      const { originate, commands } = await aCallSetup({ scope: 'own' })

      await expect(originate({ calledId: '9196', callerId })).rejects.toMatchObject({ code: 'permission_denied' })
      expect(commands()).toEqual([])
    },
  )

  it.each([undefined, '1000', '1000@a.example.com'])(
    'the calling account may be the caller itself (%s) for a caller that may place only its own calls',
    async (callerId) => {
      const { originate, commands } = await aCallSetup({ scope: 'own' })

      await originate({ calledId: '9196', ...(callerId === undefined ? {} : { callerId }) })

      expect(commands()).toMatchObject([{ command: { callerId: '1000' } }])
    },
  )

  it('root, which has no account, must name the calling account', async () => {
    const { originate, commands } = await aCallSetup({ caller: aRoot() })

    await expect(originate({ calledId: '9196' })).rejects.toMatchObject({
      code: 'missing_field',
      details: [{ field: 'callerId' }],
    })
    expect(commands()).toEqual([])
  })

  it('root may name any account of the domain as the calling account', async () => {
    const { originate, commands } = await aCallSetup({ caller: aRoot() })

    await originate({ calledId: '9196', callerId: '1001' })

    expect(commands()).toMatchObject([{ command: { callerId: '1001' }, scope: { domain: 'a.example.com' } }])
  })

  it('a removed calling account is not found', async () => {
    const { originate } = await aCallSetup({ caller: aCaller({ login: 'ghost' }) })

    await expect(originate({ calledId: '9196' })).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('a variable', () => {
  it.each([
    'origination_uuid',
    'Origination_UUID',
    'api_hangup_hook',
    'execute_on_answer',
    'EXEC_x',
    'sip_h_X',
    'domain_name',
    'presence_id',
    'w_domain',
    'svc_x',
    'user_context',
    'bridge_pre_execute_aleg_app',
    'hangup_after_bridge',
    'session_in_hangup_hook',
    'park_timeout',
    'cdr',
    'js',
    'account_role',
  ])('a variable named %s is refused by name', async (name) => {
    const { originate, commands } = await aCallSetup()

    await expect(originate({ calledId: '9196', variables: { x_fine: '1', [name]: 'x' } })).rejects.toMatchObject({
      code: 'invalid_field',
      details: [{ field: `variables.${name}` }],
    })
    expect(commands()).toEqual([])
  })

  it.each([
    ['runs an application on the host', 'group_confirm_key'],
    ['runs an application on the host', 'Group_Confirm_File'],
    ['sends a waiting call to any context', 'campon_fallback_context'],
    ['opens a mailbox without its PIN', 'voicemail_authorized'],
    ['plays any file of the host', 'ringback'],
    ['plays any file of the host', 'instant_ringback'],
    ['plays any file of the host', 'temp_hold_music'],
    ['plays any file of the host', 'sound_prefix'],
    ['hides the call', 'process_cdr'],
  ])('a variable that %s is refused by name: %s', async (_what, name) => {
    const { originate, commands } = await aCallSetup()

    await expect(originate({ calledId: '9196', variables: { [name]: 'exec' } })).rejects.toMatchObject({
      code: 'invalid_field',
      details: [{ field: `variables.${name}` }],
    })
    expect(commands()).toEqual([])
  })

  it.each([
    ['default_language', 'pt-BR'],
    ['call_timeout', '30'],
    ['timezone', 'Europe/Kyiv'],
    ['x_mine', 'a=b: 100 %?'],
    ['x-ID', ''],
    [`x_${'a'.repeat(62)}`, 'x'],
  ])('a variable named %s is accepted from every caller', async (name, value) => {
    const { originate, commands } = await aCallSetup({ caller: aCaller({ acl: { channels: ['co'] } }), scope: 'own' })

    await originate({ calledId: '9196', variables: { [name]: value } })

    expect(commands()).toMatchObject([{ command: { variables: { [name]: value } } }])
  })

  it.each([
    ['effective_caller_id_name', 'Zoë (Sales)'],
    ['effective_caller_id_name', "O'Neil, Bob"],
    ['effective_caller_id_number', '+4989123'],
    ['outbound_caller_id_name', 'Zoë'],
    ['outbound_caller_id_number', '112'],
    ['toll_allow', 'local,international'],
    ['callgroup', 'sales'],
  ])('a variable named %s is accepted only from a caller who may change accounts', async (name, value) => {
    const variables = { [name]: value }
    const admin = await aCallSetup({ caller: aCaller({ acl: { channels: ['*'], account: ['u'] } }) })
    const user = await aCallSetup({ caller: aCaller({ acl: { channels: ['*'], account: ['r', 'uo'] } }) })

    await admin.originate({ calledId: '9196', variables })

    expect(admin.commands()).toMatchObject([{ command: { variables } }])
    await expect(user.originate({ calledId: '9196', variables })).rejects.toMatchObject({
      code: 'invalid_field',
      message: expect.stringContaining('only by callers who may change accounts'),
    })
    expect(user.commands()).toEqual([])
  })

  it.each([
    ['a name of 65 characters', { [`x_${'a'.repeat(63)}`]: 'x' }],
    ['a value of 257 characters', { x_a: 'x'.repeat(257) }],
    ['a number', { x_a: 1 }],
    ['33 names', Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`x_a${n}`, 'x']))],
    ['an expansion', { x_a: '${system(id)}' }],
    ['what would make two calls of one', { x_a: 'x:_:y' }],
    ['a list', ['a=b']],
  ])('a variable with %s is refused', async (_title, variables) => {
    const { originate, commands } = await aCallSetup()

    await expect(originate({ calledId: '9196', variables })).rejects.toMatchObject({ code: 'invalid_field' })
    expect(commands()).toEqual([])
  })
})

it('a caller or called id that would make two calls of one is refused', async () => {
  const { originate, commands } = await aCallSetup()

  await expect(originate({ calledId: '9196', auto_answer_param: 'sip_h_Call-Info=x:_:y' })).rejects.toMatchObject({
    code: 'invalid_field',
    details: [{ field: 'auto_answer_param' }],
  })
  expect(commands()).toEqual([])
})

it.each([
  'a;maddr=192.0.2.9',
  'MADDR=192.0.2.9',
  'm%61ddr=192.0.2.9',
  'transport=tcp',
  'a;Transport',
  'a?Route=<sip:192.0.2.9;lr>',
  'a@192.0.2.9',
  '~transport=tcp',
  'fs_path=sip:192.0.2.9',
  'received=192.0.2.9',
  'a b',
  'a;',
  '',
])(
  'the parameter %j of the address of a call is refused, since it could steer where the call is sent',
  async (value) => {
    const { originate, commands } = await aCallSetup()

    await expect(
      originate({ calledId: '9196', auto_answer_param: `sip_invite_params=${value}` }),
    ).rejects.toMatchObject({
      code: 'invalid_field',
      details: [{ field: 'auto_answer_param', problem: expect.stringContaining('intercom=true;answer-after=0') }],
    })
    expect(commands()).toEqual([])
  },
)

it.each(['intercom=true', 'intercom=true;answer-after=0', 'x-maddr=1;alert', 'auto.answer=1;a_b=~+-'])(
  'the parameter %j of the address of a call is passed on',
  async (value) => {
    const { originate, commands } = await aCallSetup()

    await originate({ calledId: '9196', auto_answer_param: `sip_invite_params=${value}` })

    expect(commands()).toMatchObject([{ command: { autoAnswer: { name: 'sip_invite_params', value } } }])
  },
)

it.each([4, 121, 5.5, '60', -1])('a timeout of %j is refused', async (timeout) => {
  const { originate, commands } = await aCallSetup()

  await expect(originate({ calledId: '9196', timeout })).rejects.toMatchObject({
    code: 'invalid_field',
    details: [{ field: 'timeout' }],
  })
  expect(commands()).toEqual([])
})

it('a call without a called party is refused', async () => {
  const { originate } = await aCallSetup()

  await expect(originate({})).rejects.toMatchObject({ code: 'missing_field', details: [{ field: 'calledId' }] })
})
