import { describe, expect, test } from 'vitest'
import { accountIn, accountOfLeg, isSameAccount } from '../../../core/channels/leg.ts'
import { recordedEslEvents } from '../../support/engine/recorded-events.ts'
import { ofCalled, ofCaller } from '../../support/engine/leg-fields.ts'
import { recordedEnds } from '../../support/records/recorded-cdrs.ts'

const reading = (fields: Readonly<Record<string, string>>) => (name: string) => fields[name]
const usual = { variable_uuid: '6d133f9d-3e8c-4d63-9334-698c08369f54' }
const forged = { 'Channel-Presence-ID': '1000@a.example.com', variable_presence_id: '1000@a.example.com' }

describe('the account of a leg', () => {
  test.each([
    ['that a phone placed is the authenticated user', ofCaller('1001@a.example.com'), '1001@a.example.com'],
    [
      'that a phone placed is the authenticated user, whatever the From header says',
      { ...ofCaller('1001@a.example.com'), ...forged, variable_sip_from_user: '1000' },
      '1001@a.example.com',
    ],
    [
      'the account of a leg that a phone placed is the authenticated user, whatever account the call went on to ring',
      { ...ofCaller('1001@a.example.com'), variable_dialed_user: '1000', variable_dialed_domain: 'a.example.com' },
      '1001@a.example.com',
    ],
    ['that rings an account is the dialled user', ofCalled('1001@a.example.com'), '1001@a.example.com'],
    [
      'that rings an account is the dialled user, whatever presence id the leg was given',
      { ...ofCalled('1001@a.example.com'), ...forged },
      '1001@a.example.com',
    ],
    [
      'that was rung and then called somebody is the one that was rung',
      { ...ofCalled('1001@a.example.com'), variable_dialed_user: '1002', variable_last_app: 'bridge' },
      '1001@a.example.com',
    ],
    [
      'that was rung by a dial string without a user is the presence id of that dial string',
      { 'Call-Direction': 'outbound', 'Channel-Presence-ID': '1001@a.example.com' },
      '1001@a.example.com',
    ],
    ['has the domain in lower case and the login as it is', ofCaller('Alice@A.Example.com'), 'Alice@a.example.com'],
  ])('the account of a leg follows its rule: %s', (_what, fields, account) => {
    expect(accountOfLeg(reading({ ...usual, ...fields }))).toBe(account)
  })

  test.each([
    ['that came in without authentication', { 'Call-Direction': 'inbound', ...forged }],
    [
      'that came in from a gateway and rang an account',
      { ...ofCalled('1000@a.example.com'), 'Call-Direction': 'inbound' },
    ],
    ['to a trunk', { 'Call-Direction': 'outbound', 'Channel-Presence-ID': 'sip:mod_sofia@192.0.2.1:5060@x' }],
    ['whose user name holds a domain', { ...ofCaller('1000@a.example.com'), variable_user_name: 'x@y' }],
    ['whose user name is longer than any login', ofCaller(`${'a'.repeat(400)}@a.example.com`)],
  ])('a leg of %s has no account', (_what, fields) => {
    expect(accountOfLeg(reading({ ...usual, ...fields }))).toBe('')
  })

  test('the account of a leg is unknown from the row of a list, which has only the presence id', () => {
    expect(accountOfLeg(reading({ direction: 'inbound', presence_id: '1000@a.example.com' }))).toBeUndefined()
  })

  test('the account of a leg that came in is unknown from a small event', () => {
    expect(accountOfLeg(reading({ 'Call-Direction': 'inbound', ...forged }))).toBeUndefined()
  })
})

describe('a recorded leg whose phone sent its own name', () => {
  test.each(recordedEnds().map(({ name, event }) => [`${name} ${event.uuid}`, event] as const))(
    'the recorded leg %s has the account that its presence id names, at its end',
    (_name, event) => {
      expect(accountOfLeg((field) => event.header(field))).toBe(event.header('Channel-Presence-ID') ?? '')
    },
  )

  test('a leg whose phone sent another name in its From header has its account from its first event on', () => {
    const created = recordedEslEvents('events/bridged-call.json').filter(({ name }) => name === 'CHANNEL_CREATE')

    expect(created.map((event) => accountOfLeg((field) => event.header(field)))).toEqual([
      '1000@tenant1.example.com',
      '1001@tenant1.example.com',
    ])
  })
})

test('an account counts as the owner of a leg only if its domain equals that of the leg', () => {
  expect(accountIn('a.example.com', '1000@a.example.com')).toBe('1000@a.example.com')
  expect(accountIn('a.example.com', '1000@x.a.example.com')).toBeUndefined()
  expect(accountIn('example.com', '1000@a.example.com')).toBeUndefined()
  expect(accountIn('a.example.com', '')).toBeUndefined()
})

test('account names are compared without regard to case', () => {
  expect(isSameAccount('Alice@a.example.com', 'alice@A.example.com')).toBe(true)
  expect(isSameAccount('alice@a.example.com', 'alice2@a.example.com')).toBe(false)
})
