import * as fc from 'fast-check'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { addressGuard } from '../../../adapters/http/address-guard.ts'
import { urlProblem } from '../../../core/requests/target-url.ts'
import { handler as createHooks } from '../../../functions/hooks/create-hooks.ts'
import { handler as dryRunHook } from '../../../functions/hooks/dry-run-hook.ts'
import { handler as replaceHook } from '../../../functions/hooks/replace-hook.ts'
import { handler as updateHook } from '../../../functions/hooks/update-hook.ts'
import { addressIn, disguisedHost, ipv4Spelling, ipv6Carrying } from '../../support/records/address-spellings.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { badInputs } from '../../support/records/bad-inputs.ts'
import { connectionAttempts } from '../../support/engine/connection-attempts.ts'
import { guardedClient } from '../../support/hooks/guarded-client.ts'
import { aHookInput } from '../../support/records/hook-input.ts'
import { fixed } from '../../support/records/hostile-text.ts'
import { aHook } from '../../support/records/records.ts'

const publicOnly = addressGuard('')
const samples = badInputs('hook-urls')
const groups = [
  'metadata services',
  'the same addresses in other notations (all are normalised by the parser)',
  'loopback, unspecified, private, shared, reserved',
  'user info, fragments and back slashes',
  'schemes and ports',
  'text',
]

const forbiddenAddress = fc
  .constantFrom(
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
  )
  .chain(addressIn)

const publicAddress = fc.constantFrom('8.8.8.0/24', '93.184.0.0/16', '172.32.0.0/11', '223.0.0.0/8').chain(addressIn)

/** A URL around a host, as people and attackers write it. */
const urlAround = (host: string) =>
  fc
    .tuple(fc.constantFrom('http', 'https', 'HTTP'), fc.constantFrom('', ':80', ':8080', ':65535'), fc.webPath())
    .map(([scheme, port, path]) => `${scheme}://${host}${port}${path}`)

const forbiddenUrl = fc
  .oneof(forbiddenAddress.chain(ipv4Spelling), forbiddenAddress.chain(ipv6Carrying), publicAddress.chain(ipv6Carrying))
  .chain(urlAround)

describe('a forbidden address, however it is written', () => {
  it('a forbidden address, however it is written, is refused on save', () => {
    fc.assert(
      fc.property(forbiddenUrl, (url) => {
        expect(urlProblem(url, publicOnly)).toEqual(expect.any(String))
      }),
      fixed(2000),
    )
  })

  it('a stored forbidden address, however it is written, is never connected to, and no name is looked up for it', async () => {
    const client = guardedClient({ allowed: '' })
    onTestFinished(() => client.close())
    const attempts = connectionAttempts()

    await fc.assert(
      fc.asyncProperty(
        forbiddenUrl.filter((url) => URL.canParse(url)),
        async (url) => {
          const reply = await client.send({ method: 'GET', url, headers: {}, body: '' })

          expect(reply).toMatchObject({ outcome: 'failed', reason: 'blocked address' })
        },
      ),
      fixed(300),
    )
    expect(client.asked).toEqual([])
    expect(attempts()).toEqual([])
  })

  it('a forbidden address is refused after user info, with a fragment, and with a zone, however it is written', () => {
    const dressed = forbiddenAddress
      .chain(ipv4Spelling)
      .chain((host) =>
        fc.constantFrom(
          `http://hooks.example.com@${host}/`,
          `http://${host}@hooks.example.com/`,
          `http://${host}#@hooks.example.com/`,
          `http://${host}\\@hooks.example.com/`,
          `http://hooks.example.com%2f@${host}/`,
          `http:${host}/`,
          `//${host}/`,
          `http://[fe80::1%25${host}]/`,
          ` http://${host}/`,
        ),
      )
    fc.assert(
      fc.property(dressed, (url) => {
        expect(urlProblem(url, publicOnly)).toEqual(expect.any(String))
      }),
      fixed(500),
    )
  })
})

it('a public address is accepted in each spelling in which forbidden ones are refused', () => {
  fc.assert(
    fc.property(publicAddress.chain(ipv4Spelling).chain(urlAround), (url) => {
      expect(urlProblem(url, publicOnly)).toBeUndefined()
    }),
    fixed(1000),
  )
})

describe('a local name', () => {
  const localNames = [
    'localhost',
    'a.localhost',
    'metadata.google.internal',
    'printer.local',
    'metadata',
    'db.internal',
  ]

  it('a local name is refused in every spelling that the URL parser accepts', () => {
    const host = fc.constantFrom(...localNames).chain(disguisedHost)
    fc.assert(
      fc.property(host, fc.constantFrom('', '.', '\u00ad', '\u200b'), (name, invisible) => {
        expect(urlProblem(`http://${name}${invisible}/`, publicOnly)).toEqual(expect.any(String))
      }),
      fixed(1000),
    )
  })

  it.each(['xn--localhost-.', 'xn--a', 'xn--lcalhost-n4a.local', 'xn--', 'loc%61lhost', 'ⓛocalhost', 'localhost..'])(
    'a forbidden name is refused as %s, and so is invalid punycode',
    (host) => {
      expect(urlProblem(`http://${host}/`, publicOnly)).toEqual(expect.any(String))
    },
  )
})

it('a refused port is refused however it is written, and the ports next to it are not', () => {
  for (const port of [22, 25, 53, 3389, 8021]) {
    for (const text of [`${port}`, `0${port}`, `000${port}`]) {
      expect(urlProblem(`https://hooks.example.com:${text}/`, publicOnly)).toBe(`must not use port ${port}`)
    }
    expect(urlProblem(`https://hooks.example.com:${port + 1}/`, publicOnly)).toBeUndefined()
  }
})

describe('every way to save a URL refuses', () => {
  const id = 'c'.repeat(24)
  const params = { hook_id: id }
  let api: Api
  let headers: Record<string, string>

  beforeEach(async () => {
    api = anApi()
    headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
    await api.ports.hooks.create([aHook({ id })], 100)
  })

  it.each(groups)('%s', async (group) => {
    const before = await api.ports.hooks.read('a.example.com', id)
    for (const url of samples(group)) {
      const action = { ...aHookInput().action, url }
      // An empty one is how a hook says that it has no pre-request, unless that is enabled.
      const auth = { enabled: true, url }
      const bodies = [{ action }, { auth }, { action, auth }]
      for (const body of bodies) {
        const whole = { ...aHookInput(), ...body }
        const answers = [
          await api.call(createHooks, { headers, body: whole }),
          await api.call(createHooks, { headers, body: [aHookInput(), whole] }),
          await api.call(replaceHook, { headers, params, body: whole }),
          await api.call(updateHook, { headers, params, body }),
          await api.call(dryRunHook, { headers, body: whole }),
        ]
        expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400])
        for (const answer of answers)
          expect(JSON.stringify(answer.body.details)).toMatch(/"(\[1\]\.)?(action|auth)\.url"/)
      }
    }
    expect(await api.ports.hooks.read('a.example.com', id)).toEqual(before)
    expect(api.ports.state.hooks.size).toBe(1)
  })
})
