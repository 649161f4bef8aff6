import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ValueRefused } from '../../../connector/commands/command-line.ts'
import { prepareDrop } from '../../../connector/commands/pending-unregistrations.ts'
import { breadth } from '../../support/breadth.ts'
import { hostileText } from '../../support/records/hostile-text.ts'
import * as fc from 'fast-check'

const domain = 'a.example.com'
const account = { kind: 'drop-registrations', login: '1000' } as const
const ofDomain = { kind: 'drop-domain-registrations' } as const

/** The answer of a real engine with one profile, two aliases and no gateway. */
const recorded =
  /api\/response\nContent-Length: 558\n\n([\s\S]{558})/.exec(
    readFileSync(new URL('../../fixtures/freeswitch/api/idle.out', import.meta.url), 'latin1'),
  )?.[1] ?? ''

const row = (name: string, type: string, data: string, state: string) =>
  `${name.padStart(25)}\t${type}\t  ${data.padStart(40)}\t${state}\n`

const listOf = (...rows: string[]) => `${row('Name', '   Type', 'Data', 'State')}${'='.repeat(97)}\n${rows.join('')}`

/** An engine with these SIP profiles, and the lines that it was given. */
function anEngine(list: string) {
  const lines: string[] = []
  const link = {
    api: async (line: string) => {
      lines.push(line)
      return line === 'sofia status' ? list : '+OK\n'
    },
  }
  return { link, lines }
}

test("an account's registrations are dropped at the recorded engine under login and full name, after its cached record", async () => {
  const { link, lines } = anEngine(recorded)

  expect(await prepareDrop(account, domain)(link)).toEqual({ state: 'done', text: '+OK 1\n' })
  expect(lines).toEqual([
    'xml_flush_cache id 1000 a.example.com',
    'sofia status',
    'sofia profile internal flush_inbound_reg 1000@a.example.com',
    'sofia profile internal flush_inbound_reg 1000=a.example.com@a.example.com',
  ])
})

test('all registrations of a domain are dropped at once, after every cached record', async () => {
  const { link, lines } = anEngine(recorded)

  expect(await prepareDrop(ofDomain, domain)(link)).toMatchObject({ state: 'done' })
  expect(lines).toEqual(['xml_flush_cache', 'sofia status', 'sofia profile internal flush_inbound_reg @a.example.com'])
})

test('registrations are dropped at each profile once, whatever it is called, and at no alias or gateway', async () => {
  const { link, lines } = anEngine(
    listOf(
      row('a.example.com', '  alias', 'office', 'ALIASED'),
      row('office', 'profile', 'sip:mod_sofia@192.0.2.1:5060', 'RUNNING (0)'),
      row('office', 'profile', 'sips:mod_sofia@192.0.2.1:5061', 'RUNNING (0) (TLS)'),
      row('office::profile', 'gateway', 'sip:profile@192.0.2.9', 'REGED'),
      row('a-profile-with-a-name-longer-than-its-column', 'profile', 'sip:mod_sofia@[2001:db8::1]:5060', 'RUNNING (3)'),
    ),
  )

  await prepareDrop(account, domain)(link)

  expect(lines.slice(2)).toEqual([
    'sofia profile office flush_inbound_reg 1000@a.example.com',
    'sofia profile office flush_inbound_reg 1000=a.example.com@a.example.com',
    'sofia profile a-profile-with-a-name-longer-than-its-column flush_inbound_reg 1000@a.example.com',
    'sofia profile a-profile-with-a-name-longer-than-its-column flush_inbound_reg 1000=a.example.com@a.example.com',
  ])
})

test('a profile whose name cannot be part of a command is reported, and does not delay other profiles', async () => {
  const { link, lines } = anEngine(
    listOf(row('in;ternal', 'profile', 'sip:a', 'RUNNING (0)'), row('office', 'profile', 'sip:b', 'RUNNING (0)')),
  )

  expect(await prepareDrop(account, domain)(link)).toEqual({ state: 'refused', text: '-ERR 1 profiles left\n' })
  expect(lines.at(-1)).toBe('sofia profile office flush_inbound_reg 1000=a.example.com@a.example.com')
})

test.each(['-ERR sofia Command not found!\n', '', '+OK\n'])(
  'without a list of profiles a drop is refused: %j',
  async (list) => {
    expect(await prepareDrop(account, domain)(anEngine(list).link)).toMatchObject({ state: 'refused' })
  },
)

test('a login or domain with characters that mean something to the engine is refused before any command is built', () => {
  const isPlain = (text: string) => /^[A-Za-z0-9._+-]{1,64}$/.test(text)

  fc.assert(
    fc.property(
      hostileText.filter((text) => !isPlain(text)),
      (text) => {
        expect(() => prepareDrop({ ...account, login: text }, domain)).toThrow(ValueRefused)
        expect(() => prepareDrop(ofDomain, text)).toThrow(ValueRefused)
      },
    ),
    { seed: 1, numRuns: breadth(50, 200) },
  )
  expect(() => prepareDrop(ofDomain, null)).toThrow(ValueRefused)
})
