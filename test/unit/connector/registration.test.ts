import { expect, test } from 'vitest'
import { readRegistration } from '../../../connector/events/registration.ts'
import { anEngineEvent } from '../../support/engine/engine-event.ts'

/** The headers that a real engine sent, as far as they are looked at. */
const register = {
  'from-user': '1000',
  'from-host': 'a.example.com',
  contact: '"Alice Adams" <sip:1000@127.0.0.1:33136>',
  'call-id': '5417a1122af0bd1c',
  expires: '60',
  username: '1000',
  realm: 'a.example.com',
  user_name: '1000',
}
const unregister = { ...register, contact: '"" <sip:1000@127.0.0.1:33136>', expires: '0' }
const expire = {
  user: '1002',
  username: '1002',
  host: 'a.example.com',
  realm: 'a.example.com',
  contact: '"" <sip:1002@127.0.0.1:42889>',
  expires: '1795217994',
}
const custom = (subclass: string, headers: Readonly<Record<string, string>>) =>
  readRegistration(anEngineEvent({ name: 'CUSTOM', subclass, headers }))

test('a registration lasts a minute longer than the phone asked for', () => {
  expect(custom('sofia::register', register)).toEqual({
    login: '1000',
    contact: 'sip:1000@127.0.0.1:33136',
    lastsSeconds: 120,
  })
})

test('the end of a registration names the same contact, even if the display name before it differs', () => {
  expect(custom('sofia::unregister', unregister)).toEqual({
    login: '1000',
    contact: 'sip:1000@127.0.0.1:33136',
    lastsSeconds: 0,
  })
})

test('the number in an expiry that is a date is not read as a length of time', () => {
  expect(custom('sofia::expire', expire)).toEqual({
    login: '1002',
    contact: 'sip:1002@127.0.0.1:42889',
    lastsSeconds: 0,
  })
})

test.each([
  ['another event', 'sofia::register_failure', register],
  ['an event without a user', 'sofia::register', { expires: '60' }],
  ['a user that cannot be an account', 'sofia::register', { ...register, user_name: '1000 x' }],
])('an event %s is no registration', (_what, subclass, headers) => {
  expect(custom(subclass, headers)).toBeUndefined()
})

test('a phone that is registered under the full name of its account counts as the phone of its login', () => {
  const name = '1000=a.example.com'
  const { user_name: _, ...own } = register

  expect(custom('sofia::register', { ...register, 'from-user': name })?.login).toBe('1000')
  expect(custom('sofia::register', { ...own, username: name })?.login).toBe('1000')
  expect(custom('sofia::expire', { ...expire, user: name, username: name })?.login).toBe('1000')
})

const named = { ...register, 'from-user': '1000=a.example.com' }

test.each([
  ['"" <sip:1000@127.0.0.1:33136;fs_nat=yes>'],
  ['"Alice Adams, sales" <sip:1000@127.0.0.1:33136;transport=tcp;line=a.b~c:d;fs_nat=yes>'],
  ['"" <sip:1000@phone.example.com>'],
  ['"" <sips:a+b@[2001:db8::1]:5061;ob;fs_nat=yes>'],
])('a contact of the closed form is not refused: %s', (contact) => {
  expect(custom('sofia::register', { ...named, contact })?.refused).toBeUndefined()
})

test.each([
  ['"" <sip:1000@127.0.0.1:33136;a=,loopback/app=system:x;fs_nat=yes>'],
  ['"" <sip:1000@127.0.0.1:33136;MAddr=192.0.2.1;fs_nat=yes>'],
  ['"" <sip:1000@127.0.0.1:33136;fs_path=sip%3Ax%40192.0.2.1;fs_nat=yes>'],
  ['"" <sip:1000@127.0.0.1:33136;line=a%2Cb;fs_nat=yes>'],
  ["\"\" <sip:10'00@127.0.0.1:33136;a='x';fs_nat=yes>"],
  ['"a\\" <sip:1@192.0.2.1;fs_nat=yes>" <sip:1000@127.0.0.1:33136;fs_nat=yes>'],
  ['"aaaaaaaa<sip:1@192.0.2.1;fs_nat=yes>'],
  ['"" <sip:127.0.0.1:33136;fs_nat=yes>'],
])('a contact that an engine of the kit does not ring is refused: %s', (contact) => {
  expect(custom('sofia::register', { ...named, contact })?.refused).toBe('contact')
})

test('contacts of an engine that registers phones under their logins are not judged', () => {
  expect(custom('sofia::register', register)?.refused).toBeUndefined()
})

const contactOf = (contact: string) => custom('sofia::register', { ...register, contact })?.contact

test.each([
  ['"Ann <desk>" <sip:1001@192.0.2.1:5060>', '<sip:1001@192.0.2.1:5060>'],
  ['"Ann \\"<sip:x@y>\\"" <sip:1001@192.0.2.1:5060>', 'sip:1001@192.0.2.1:5060'],
  ['"Lee <1>" <sip:1001@192.0.2.1>', '"Lee <2>" <sip:1001@192.0.2.1>'],
  ['<SIP:1001@Phone.Example.COM;Transport=TCP;ob>', '<sip:1001@phone.example.com;ob;transport=tcp>'],
  ['<sip:%31001@[2001:DB8::1]:5060;line=%2c>', '<sip:1001@[2001:db8::1]:5060;line=%2C>'],
  ['Ann <sip:1001@192.0.2.1;fs_nat=yes>', '"" <sip:1001@192.0.2.1>'],
])('the contacts %s and %s are one phone', (one, other) => {
  expect(contactOf(one)).toBe(contactOf(other))
})

const push = `app-id=com.example.phone;pn-type=apple;pn-tok=${'A'.repeat(300)}`

test.each([
  ['"Ann <desk>" <sip:1001@192.0.2.1:5060>', '"Ann <desk>" <sip:1001@192.0.2.1:5061>'],
  [`<sip:1001@192.0.2.1;${push};inst=A>`, `<sip:1001@192.0.2.1;${push};inst=B>`],
  ['<sip:ann@192.0.2.1>', '<sip:Ann@192.0.2.1>'],
  ['<sip:1001@192.0.2.1>', '<sips:1001@192.0.2.1>'],
  ['<sip:1001@192.0.2.1>', '<sip:1001@192.0.2.1:5060>'],
  ['<sip:1001@192.0.2.1>', '<sip:1001@192.0.2.1;transport=tcp>'],
  ['<sip:1001@192.0.2.1;line=a%3Bb>', '<sip:1001@192.0.2.1;line=a;b>'],
])('the contacts %s and %s are two phones', (one, other) => {
  expect(contactOf(one)).not.toBe(contactOf(other))
})
