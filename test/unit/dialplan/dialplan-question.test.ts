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
