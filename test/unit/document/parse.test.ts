import { expect, it } from 'vitest'
import { documentOf } from './domains.ts'

it("texts of a domain document are read as written, without YAML's conversions", () => {
  const { accounts, variables } = documentOf(
    'variables: {default_areacode: 0049, x_a: yes, x_b: 1.50}\naccounts:\n  1001: {parameters: {svc-extensions: +49}}\n',
  )

  expect(variables).toEqual({ default_areacode: '0049', x_a: 'yes', x_b: '1.50' })
  expect(accounts?.['1001']).toEqual({ role: 'user', parameters: { 'svc-extensions': '+49' }, variables: {} })
})

it('a part that is left out of a domain document stays undefined, and an empty one is empty', () => {
  expect(documentOf('roles: {}\nemail:\n')).toEqual({ domain: 'a.example.com', roles: {}, email: null })
})

it.each([
  ['accounts:\n  1001: {rolle: user}', 'acme.yaml:4:10: accounts.1001.rolle: is unknown here'],
  ['accounts:\n  1001: {password: hunter2}', 'acme.yaml:4:10: accounts.1001.password: is a secret'],
  ['email: {host: mail.example.com, pass: hunter2}', 'acme.yaml:3:33: email.pass: is a secret'],
  ['parameters: {vm-password: 1234}', 'acme.yaml:3:14: parameters.vm-password: is a secret'],
  [
    'hooks:\n  - {event: DTMF, url: "https://a.b/", headers: {Authorization: Basic x}}',
    'headers.Authorization: is a secret',
  ],
  ['hooks:\n  - {event: DTMF, url: "https://a.b/", auth: {map: {password: plain}}}', 'auth.map.password: is a secret'],
  ['hooks:\n  - {event: DTMF, url: "https://a.b/", auth: {map: {user: "********"}}}', 'only values that hold secrets'],
  ['hooks:\n  - {event: DTMF, url: "https://a.b/", headers: {X-Shop: "${env:A}"}}', 'only values that hold secrets'],
  ['accounts:\n  Bob: {}\n  bob: {}', 'acme.yaml:5:3: accounts.bob: is the same login as "Bob"'],
  [
    'accounts:\n  a: {parameters: {svc-extensions: "1,2"}}\n  b: {parameters: {svc-extensions: "2"}}',
    'acme.yaml:5:3: accounts.b: has the number 2, which a has, too',
  ],
  ['accounts:\n  1001: {parameters: {role: admin}}', 'must stand at the account itself, as "role"'],
  ['variables: &a {x_a: 1}', 'anchors and aliases'],
  ['variables: {x_a: 1, x_a: 2}', 'acme.yaml:3:'],
  ['blacklists: {spam: ["%"]}', '"%" is not a number'],
  [
    `blacklists: {spam: {${Array.from({ length: 1000 }, (_, n) => `${n}: {}, `).join('')}"9-9": {}}}`,
    'blacklists.spam.9-9: the number 99 is there twice',
  ],
  [
    'routes: {default: [{patern: a}]}',
    'acme.yaml:3:21: routes.default[0].patern: is unknown here; known are name, pattern',
  ],
  ['email: {host: mail.example.com, port: 1.5}', 'acme.yaml:3:33: email.port: must be a whole number'],
  ['email: {host: mail.example.com, secure: yes}', 'email.secure: must be true or false'],
  ['email: {port: 587}', 'email: must have a host'],
  ['accounts: [1001]', 'acme.yaml:3:1: accounts: must be a map of names'],
  ['accounts: {1001: {role: }}', 'accounts.1001.role: must be text'],
  ['hooks: {event: DTMF}', 'hooks: must be a list'],
  ['hooks: [{event: DTMF, url: a, filter: {a: {operation: 5, value: 1}}}]', 'filter.a.operation: must be text'],
  ['hooks: [{event: DTMF, url: a, filter: {a: {operation: x, value: [1]}}}]', 'filter.a.value: must be text, a number'],
  ['blacklists: {spam: [[1]]}', 'is not a number'],
  [
    'blacklists: {spam: {1: {expires: soon}}}',
    'blacklists.spam.1.expires: must be a time such as 2027-01-31T08:00:00Z',
  ],
  ['gateways: {trunk: {register: true}}', 'gateways.trunk: must have a realm or a proxy'],
  ['routes: {default: [{name: a}]}', 'acme.yaml:3:20: routes.default[0]: must have a pattern'],
  ['routes: {default: [{pattern: a, callflow: [answer]}]}', 'callflow[0]: must be a step'],
  ['variables: [', 'acme.yaml:3:13:'],
  ['variables: {x_a: "${env:A}"}', 'acme.yaml:3:13: variables.x_a: is no secret, and only secrets may name the env'],
  ['variables: {__proto__: 1}', '__proto__'],
])('the document %j is refused with %j', (text, message) => {
  expect(() => documentOf(text)).toThrow(message)
})

it.each([
  ['callplane: 2\ndomain: a', 'callplane: must be 1'],
  ['domain: a', 'must begin with "callplane: 1"'],
])('the file %j is no document of this format', async (text, message) => {
  const { parseDocument } = await import('../../../cli/document/parse-document.ts')

  expect(() => parseDocument(text, 'acme.yaml')).toThrow(message)
})
