import { expect, it } from 'vitest'
import { readDialplanQuestion } from '../../../core/dialplan/dialplan-question.ts'

/** The engine's question about a call of `1000@a.example.com` that it has authenticated. */
const asked = {
  section: 'dialplan',
  'Hunt-Context': 'a.example.com',
  'Hunt-Destination-Number': '1001',
  'Hunt-Caller-ID-Number': '1000',
  variable_domain_name: 'A.example.com',
  variable_sip_authorized: 'true',
  variable_user_name: '1000',
}
const callerOf = (fields: Readonly<Record<string, string>>) => readDialplanQuestion({ ...asked, ...fields })?.call
/** The fields of a From header that a phone has sent. */
const sent = (number: string, name: string) => ({
  'Hunt-Caller-ID-Number': number,
  'Hunt-Caller-ID-Name': name,
  'Hunt-Orig-Caller-ID-Number': number,
  'Hunt-Orig-Caller-ID-Name': name,
})
const loginOf = (fields: Readonly<Record<string, string>>) => {
  const question = readDialplanQuestion(fields)
  return question !== undefined && 'domain' in question.call ? question.call.caller.login : 'no call of a domain'
}

it('the caller of a question is the account that the engine authenticated in the domain of the call', () => {
  expect(loginOf(asked)).toBe('1000')
})

it.each([
  ['was authenticated in another domain', { variable_domain_name: 'b.example.com' }],
  ['has no domain', { variable_domain_name: '' }],
  ['was not authenticated', { variable_sip_authorized: 'false' }],
])('a caller that %s has no account', (_case, fields) => {
  expect(loginOf({ ...asked, ...fields })).toBeUndefined()
})

it.each([
  ['section', 'directory'],
  ['Hunt-Context', ''],
  ['Hunt-Destination-Number', ''],
])('a question whose %s is "%s" is not about a call', (field, value) => {
  expect(readDialplanQuestion({ ...asked, [field]: value })).toBeUndefined()
})

it.each(['a.example.com', 'public'])('a call in the context %s is for the number before the parameters', (context) => {
  const number = (dialled: string) => {
    const call = callerOf({ 'Hunt-Context': context, 'Hunt-Destination-Number': dialled })
    return [call?.number, call?.variables.get('destination_number')]
  }

  expect(number('112;phone-context=+49')).toEqual(['112', '112'])
  expect(number('1002;user=phone;npdi')).toEqual(['1002', '1002'])
})

it('a caller from a gateway has the number before its parameters', () => {
  const call = callerOf({ 'Hunt-Context': 'public', 'Hunt-Caller-ID-Number': '4930123;cpc=ordinary' })

  expect([call?.caller.number, call?.variables.get('caller_id_number')]).toEqual(['4930123', '4930123'])
})

it('a call has the number and the name of its account, whatever its phone has sent', () => {
  const call = callerOf({ ...sent('447700900123', 'The Bank'), variable_effective_caller_id_name: 'Ann (Sales)' })

  expect(call?.caller).toMatchObject({ number: '1000', nameToShow: 'Ann (Sales)', sent: '447700900123' })
  expect([call?.variables.get('caller_id_number'), call?.variables.get('caller_id_name')]).toEqual([
    '1000',
    'Ann (Sales)',
  ])
})

it.each(['x;y', '${system(id)}', '', undefined])('a caller whose name would be %j is named by the login', (name) => {
  const given: Record<string, string> = name === undefined ? {} : { variable_effective_caller_id_name: name }

  expect(callerOf({ ...sent('447700900123', 'x'), ...given })?.caller.nameToShow).toBe(name === '' ? '' : '1000')
})

it('a number or name that a route has set since is kept', () => {
  const changed = { ...sent('447700900123', 'x'), 'Hunt-Caller-ID-Number': '4711' }

  expect(callerOf(changed)?.caller).toMatchObject({ number: '4711', sent: '4711' })
  expect(callerOf(changed)?.caller).not.toHaveProperty('nameToShow')
  expect(callerOf({ ...sent('447700900123', 'x'), 'Hunt-Caller-ID-Name': 'y' })?.caller).toMatchObject({
    number: '447700900123',
  })
})

it('a leg that rang an account belongs to it, also by its number, unless the account is of another domain', () => {
  const dialled = { variable_dialed_user: '2001', variable_dialed_domain: 'a.example.com' }
  const leg = { variable_sip_authorized: '', ...dialled, 'Call-Direction': 'outbound' }

  expect(callerOf(leg)?.caller).toMatchObject({ called: '2001' })
  expect(callerOf({ ...leg, 'Call-Direction': 'inbound' })?.caller.called).toBeUndefined()
  expect(callerOf({ ...leg, variable_dialed_domain: 'b.example.com' })?.caller.called).toBeUndefined()
})
