import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { handler as createAccount } from '../../../functions/accounts/create-account.ts'
import { handler as createDomainToken } from '../../../functions/domains/create-domain-token.ts'
import { handler as createHooks } from '../../../functions/hooks/create-hooks.ts'
import { anApi } from '../../support/platform/api.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { aHookInput } from '../../support/records/hook-input.ts'
import { markedRandomness } from '../../support/records/marked-randomness.ts'
import { secretsShownIn } from '../../support/scan-output.ts'
import { holds, markedIn, marker, planted } from '../../support/invariants/secret-forms.ts'
import { shownSecrets, watchSecretsIn } from '../../support/invariants/watched-secrets.ts'

const secret = planted('of "this" test/ü+?')

/** Each way in which a secret may be written, also after and before other text of any length. */
const ways: readonly (readonly [string, (text: string) => string])[] = [
  ['plain', (text) => text],
  ['as JSON', (text) => JSON.stringify({ text })],
  ['percent-encoded', encodeURIComponent],
  [
    'percent-encoded in lower case',
    (text) => encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase()),
  ],
  ['as a form', (text) => new URLSearchParams({ text }).toString()],
  ['in hex', (text) => Buffer.from(text).toString('hex')],
  ['in hex of capitals', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ...['', 'u', 'us', 'use', 'user'].flatMap((before) => [
    [`in Base64 after ${before.length} bytes`, (text: string) => encoded(`${before}${text}`, 'base64')] as const,
    [
      `in Base64 of URLs after ${before.length} bytes`,
      (text: string) => encoded(`${before}${text}`, 'base64url'),
    ] as const,
    [
      `in Base64 after ${before.length} and before 2`,
      (text: string) => encoded(`${before}${text}xy`, 'base64'),
    ] as const,
  ]),
]

const encoded = (text: string, as: 'base64' | 'base64url') => Buffer.from(text).toString(as)

describe('a secret', () => {
  it.each(ways)('a watched secret is found %s, and a generated one has the marker', (_, write) => {
    const text = `before ${write(secret)} after`

    expect(holds(Buffer.from(text), secret)).toBe(true)
    expect(markedIn(text)).not.toEqual([])
  })

  it.each(ways)('a watched secret is not found in another one, %s', (_, write) => {
    const text = `before ${write('another text altogether')} after`

    expect(holds(Buffer.from(text), secret)).toBe(false)
    expect(markedIn(text)).toEqual([])
  })

  it.each(['', 'k', 'ke', 'key', 'key=', 'key=1'])('a watched secret is found in Base32 after %j', (before) => {
    const bits = [...Buffer.from(`${before}${secret}`)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
    const digits = (bits.match(/.{5}/g) ?? []).map(
      (five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)],
    )

    expect(markedIn(digits.join(''))).not.toEqual([])
  })

  it('a secret that is generated in a test contains the marker, and a nonce or salt does not', () => {
    expect(Buffer.from(markedRandomness.bytes(32)).toString('latin1')).toContain(marker)
    expect(Buffer.from(markedRandomness.bytes(12)).toString('latin1')).not.toContain(marker)
    expect(markedRandomness.bytes(32)).not.toEqual(markedRandomness.bytes(32))
  })
})

describe('the end of a test', () => {
  it("the check after a test reports a logged secret in a message, a value, an error and the error's cause", () => {
    const log = capturedLog()
    log.with({ bound: secret }).info('said', {})
    log.warn(`said ${secret}`)
    log.error('failed', new Error('outer', { cause: new Error(`inner ${encodeURIComponent(secret)}`) }))

    const shown = shownSecrets()

    // The error's message stands in its stack too.
    expect(shown.length).toBeGreaterThanOrEqual(3)
    expect(shown.every((each) => each.startsWith('log: '))).toBe(true)
    expect(shownSecrets()).toEqual([])
  })

  it('the check after a test reports a password that is stored in plain text', async () => {
    const api = anApi()
    const admin = await api.account({ role: 'admin' })
    await api.call(createAccount, {
      headers: { ...(await api.as(admin)) },
      body: { login: '1001', password: secret, role: 'user' },
    })
    expect(shownSecrets()).toEqual([])

    const leaky = anApi()
    await leaky.account({ variables: { note: secret } })

    expect(shownSecrets()).toEqual([expect.stringMatching(/^store: .*s3cr3t-/)])
  })

  it('the check after a test reports a token, a signing secret and a digest, although they have no marker', async () => {
    const api = anApi()
    const headers = { ...(await api.as(await api.account({ role: 'admin' }))) }
    const expire = api.clock.now() + 60_000
    const params = { domain_name: 'a.example.com' }
    const issued = await api.call(createDomainToken, { params, headers, body: { expire, role: 'user' } })
    const hooked = await api.call(createHooks, { headers, body: aHookInput() })
    const digest = 'a1'.repeat(16)
    watchSecretsIn({ 'a1-hash': digest })
    const [signing] = Object.values(Object(hooked.body.data.secrets)).map(String)

    api.log.info(String(issued.body.info.token))
    api.log.info(String(signing))
    api.log.info(digest)

    expect(shownSecrets().length).toBeGreaterThanOrEqual(3)
  })
})

describe('the scan of what tests print', () => {
  it('the scan of test output finds nothing in a clean report, and a planted secret in another', () => {
    const report = ' ✓ unit test/unit/auth/log-in.test.ts (57 tests) 812ms\n'

    expect(secretsShownIn(Buffer.from(report))).toEqual([])
    expect(secretsShownIn(Buffer.from(`${report}{"password":"${secret}"}`))).toHaveLength(1)
    expect(
      secretsShownIn(Buffer.from(`${report}authorization: Basic ${encoded(`engine:${secret}`, 'base64')}`)),
    ).toHaveLength(1)
  })

  it('the scan of test output fails if it finds a secret', () => {
    const folder = mkdtempSync(join(tmpdir(), 'callplane-scan-'))
    const scan = (output: string) => {
      writeFileSync(join(folder, 'output'), output)
      return spawnSync('node', ['test/support/scan-output.ts', join(folder, 'output')], { encoding: 'utf8' })
    }
    try {
      expect(scan('all is well')).toMatchObject({ status: 0, stderr: '' })
      expect(scan(`a ${Buffer.from(secret).toString('hex')} b`)).toMatchObject({ status: 1 })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
