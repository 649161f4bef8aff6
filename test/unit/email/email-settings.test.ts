import { describe, expect, it } from 'vitest'
import { handler as createEmailSettings } from '../../../functions/email/create-email-settings.ts'
import { handler as deleteEmailSettings } from '../../../functions/email/delete-email-settings.ts'
import { handler as readEmailSettings } from '../../../functions/email/read-email-settings.ts'
import { handler as replaceEmailSettings } from '../../../functions/email/replace-email-settings.ts'
import { anApi } from '../../support/platform/api.ts'
import { markedIn, planted } from '../../support/invariants/secret-forms.ts'

const password = planted('Sm7p-p4ss word"ü')

/** Settings as a client writes them. */
function settings(options: object = {}, more: object = {}) {
  const auth = { user: 'pbx', pass: password }
  const usual = {
    host: 'smtp.example.com',
    port: 465,
    secure: true,
    debug: false,
    tls: { rejectUnauthorized: true },
    auth,
  }
  return {
    provider: 'smtp',
    description: 'mail',
    from: 'pbx@a.example.com',
    options: { ...usual, ...options },
    ...more,
  }
}

/** Two tenants, an admin in each. */
async function setUp() {
  const api = anApi()
  const admin = { ...(await api.as(await api.account({ login: '1000', role: 'admin' }))) }
  const user = { ...(await api.as(await api.account({ login: '1001' }))) }
  const other = { ...(await api.as(await api.account({ domain: 'b.a.example.com', login: '1000', role: 'admin' }))) }
  return { api, admin, user, other }
}

const masked = { ...settings().options, auth: { user: 'pbx', pass: '********' } }

describe('mail settings', () => {
  it('mail settings are created, shown with a masked password, and read back the same', async () => {
    const { api, admin } = await setUp()

    const created = await api.call(createEmailSettings, { body: settings(), headers: admin })
    const read = await api.call(readEmailSettings, { headers: admin })

    const _id = expect.stringMatching(/^[0-9a-f]{24}$/)
    expect(created).toMatchObject({
      status: 200,
      body: { ...settings(), options: masked, _id, domain: 'a.example.com' },
    })
    expect(read.body).toEqual(created.body)
    expect(read.headers['ETag']).toBe(created.headers['ETag'])
  })

  it('mail settings store their password encrypted, and show it nowhere', async () => {
    const { api, admin } = await setUp()

    const answers = [
      await api.call(createEmailSettings, { body: settings(), headers: admin }),
      await api.call(replaceEmailSettings, { body: settings(), headers: admin }),
      await api.call(readEmailSettings, { headers: admin }),
    ]

    const stored = api.ports.state.emailSettings.get('a.example.com')
    const sealed = stored?.options.auth?.sealedPass ?? ''
    expect(Buffer.from(await api.ports.secretBox.open(sealed, 'email-password:a.example.com')).toString()).toBe(
      password,
    )
    await expect(api.ports.secretBox.open(sealed, 'email-password:b.a.example.com')).rejects.toThrow()
    const everything = JSON.stringify([answers, api.log.lines, stored, api.ports.state.audit])
    expect(markedIn(everything)).toEqual([])
  })

  it('mail settings from a minimal body have the defaults', async () => {
    const { api, admin } = await setUp()

    const { body } = await api.call(createEmailSettings, {
      body: { provider: 'smtp', options: { host: 'smtp.example.com' } },
      headers: admin,
    })

    expect(body).toMatchObject({
      description: '',
      from: '',
      options: { host: 'smtp.example.com', port: 465, secure: true, debug: false, tls: { rejectUnauthorized: true } },
    })
    expect(body.options).not.toHaveProperty('auth')
  })

  it('mail settings without TLS from the first byte use the port of STARTTLS', async () => {
    const { api, admin } = await setUp()

    const { body } = await api.call(createEmailSettings, {
      body: { provider: 'smtp', options: { host: 'smtp.example.com', secure: false } },
      headers: admin,
    })

    expect(body.options.port).toBe(587)
  })

  it('creating existing mail settings replaces them and keeps their id', async () => {
    const { api, admin } = await setUp()
    const first = await api.call(createEmailSettings, { body: settings(), headers: admin })

    const second = await api.call(createEmailSettings, { body: settings({ port: 2525 }), headers: admin })

    expect(second.body).toMatchObject({ _id: first.body._id, options: { port: 2525 } })
  })

  it('missing mail settings cannot be read or replaced, and deleting them removes none', async () => {
    const { api, admin } = await setUp()
    const missing = { status: 404, body: { code: 'not_found', info: 'Not found!' } }

    expect(await api.call(readEmailSettings, { headers: admin })).toMatchObject(missing)
    expect(await api.call(replaceEmailSettings, { body: settings(), headers: admin })).toMatchObject(missing)
    expect(await api.call(deleteEmailSettings, { headers: admin })).toMatchObject({
      status: 200,
      body: { status: 'OK', Info: 'Removed 0 record.' },
    })
  })

  it('mail settings can be deleted once', async () => {
    const { api, admin } = await setUp()
    await api.call(createEmailSettings, { body: settings(), headers: admin })

    expect((await api.call(deleteEmailSettings, { headers: admin })).body.Info).toBe('Removed 1 record.')
    expect(await api.call(readEmailSettings, { headers: admin })).toMatchObject({ status: 404 })
  })

  it('replacing mail settings by an identical body succeeds', async () => {
    const { api, admin } = await setUp()
    await api.call(createEmailSettings, { body: settings(), headers: admin })

    expect(await api.call(replaceEmailSettings, { body: settings(), headers: admin })).toMatchObject({ status: 200 })
  })
})

describe('a masked password', () => {
  it('a masked password keeps the stored one', async () => {
    const { api, admin } = await setUp()
    const { body } = await api.call(createEmailSettings, { body: settings(), headers: admin })
    const before = api.ports.state.emailSettings.get('a.example.com')?.options.auth?.sealedPass

    await api.call(replaceEmailSettings, { body, headers: admin })

    expect(before).toBeDefined()
    expect(api.ports.state.emailSettings.get('a.example.com')?.options.auth?.sealedPass).toBe(before)
  })

  it.each([
    ['where there are no settings', undefined],
    ['where the settings have no password', { user: 'pbx' }],
  ])('a masked password is refused %s', async (_title, auth) => {
    const { api, admin } = await setUp()
    if (auth !== undefined) await api.call(createEmailSettings, { body: settings({ auth }), headers: admin })

    const answer = await api.call(createEmailSettings, {
      body: settings({ auth: { user: 'pbx', pass: '********' } }),
      headers: admin,
    })

    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'invalid_field', details: [{ field: 'options.auth.pass' }] },
    })
  })

  it('writing mail settings without a password removes the stored one', async () => {
    const { api, admin } = await setUp()
    await api.call(createEmailSettings, { body: settings(), headers: admin })

    const { body } = await api.call(replaceEmailSettings, { body: settings({ auth: { user: 'pbx' } }), headers: admin })

    expect(body.options.auth).toEqual({ user: 'pbx' })
  })
})

describe('settings are refused, and nothing is written, when', () => {
  const bad: [string, object][] = [
    ['there is no provider', settings({}, { provider: undefined })],
    ['the provider is another', settings({}, { provider: 'sendmail' })],
    ['there are no options', settings({}, { options: undefined })],
    ['there is no host', settings({ host: undefined })],
    ...[
      '',
      'x'.repeat(254),
      '169.254.169.254',
      'localhost',
      'mail.localhost',
      'printer.local',
      'metadata',
      'x.internal',
      '127.0.0.1',
      '127.1',
      '0x7f.0.0.1',
      '2130706433',
      '[::1]',
      '::1',
      '::ffff:10.0.0.1',
      'fd00::1',
      'a.example.com:25',
      'a.example.com/x',
      'u@a.example.com',
      'a b',
      'a\\b',
      'a%00b',
      'a..b',
      '１２７.0.0.1',
    ].map((host): [string, object] => [`the host is ${JSON.stringify(host).slice(0, 40)}`, settings({ host })]),
    ...[0, 65_536, -1, 25.5, '25', null, 22, 53, 3389, 8021].map((port): [string, object] => [
      `the port is ${JSON.stringify(port)}`,
      settings({ port }),
    ]),
    ['rejectUnauthorized is a text', settings({ tls: { rejectUnauthorized: 'no' } })],
    ['secure is a text', settings({ secure: 'true' })],
    ['secure is null', settings({ secure: null })],
    ['debug is a number', settings({ debug: 1 })],
    ['auth is a text', settings({ auth: 'pbx:pass' })],
    ['the password is a number', settings({ auth: { user: 'a', pass: 1 } })],
    ['the user holds a line end', settings({ auth: { user: 'a\r\nRCPT TO:<b@c>', pass: 'x' } })],
    ['the password holds a line end', settings({ auth: { user: 'a', pass: 'x\ny' } })],
    ...[
      '',
      'a@b\r\nBcc: c@d',
      'a@b, c@d',
      'a',
      '@b',
      'a@',
      'A <a@b.c>',
      'a b@c.d',
      'a@b@c',
      `${'x'.repeat(65)}@b.c`,
    ].map((from): [string, object] => [`from is ${JSON.stringify(from).slice(0, 40)}`, settings({}, { from })]),
  ]

  it.each(bad)('mail settings are refused, and nothing is written, when %s', async (_title, body) => {
    const { api, admin } = await setUp()

    const answer = await api.call(createEmailSettings, { body, headers: admin })

    expect(answer.status).toBe(400)
    expect(['invalid_field', 'missing_field']).toContain(answer.body.code)
    expect(api.ports.state.emailSettings.size).toBe(0)
  })

  it('the provider, options or host are missing: the field is named', async () => {
    const { api, admin } = await setUp()

    const answer = await api.call(createEmailSettings, { body: { provider: 'smtp', options: {} }, headers: admin })

    expect(answer.body).toMatchObject({ code: 'missing_field', details: [{ field: 'options.host' }] })
  })

  it('the body is above 1 MiB; one above 256 KiB is read', async () => {
    const { api, admin } = await setUp()
    const large = (bytes: number) => ({ ...settings(), comment: 'x'.repeat(bytes) })

    expect(await api.call(createEmailSettings, { body: large(300_000), headers: admin })).toMatchObject({ status: 200 })
    expect(await api.call(createEmailSettings, { body: large(1_048_577), headers: admin })).toMatchObject({
      status: 413,
    })
  })

  it.each([
    'smtp.example.com',
    'SMTP.Example.Com',
    '8.8.8.8',
    '2606:4700::1111',
    '[2606:4700::1111]',
    'münchen.example',
  ])('mail settings are accepted for the host %s', async (host) => {
    const { api, admin } = await setUp()

    expect(await api.call(createEmailSettings, { body: settings({ host }), headers: admin })).toMatchObject({
      status: 200,
      body: { options: { host } },
    })
  })

  it('mail settings are accepted for a host of an allowed network', async () => {
    const api = anApi({ HOOK_ALLOWED_NETWORKS: '10.0.0.0/8' })
    const admin = { ...(await api.as(await api.account({ role: 'admin' }))) }

    expect(await api.call(createEmailSettings, { body: settings({ host: '10.1.2.3' }), headers: admin })).toMatchObject(
      {
        status: 200,
      },
    )
  })
})

describe('a change under If-Match', () => {
  it('a change of mail settings under If-Match succeeds on the version that was read, and is refused on any other', async () => {
    const { api, admin } = await setUp()
    const first = await api.call(createEmailSettings, { body: settings(), headers: admin })
    const ifMatch = (tag = '') => ({ ...admin, 'if-match': tag })
    const second = await api.call(replaceEmailSettings, {
      body: settings({ port: 587 }),
      headers: ifMatch(first.headers['ETag']),
    })

    expect(second).toMatchObject({ status: 200 })
    const late = { status: 412, body: { code: 'precondition_failed' } }
    const stale = ifMatch(first.headers['ETag'])
    expect(await api.call(replaceEmailSettings, { body: settings(), headers: stale })).toMatchObject(late)
    expect(await api.call(deleteEmailSettings, { headers: stale })).toMatchObject(late)
    expect((await api.call(readEmailSettings, { headers: admin })).body).toEqual(second.body)
    expect(await api.call(deleteEmailSettings, { headers: ifMatch(second.headers['ETag']) })).toMatchObject({
      status: 200,
    })
  })

  it('a change of mail settings under If-Match is refused after they were deleted and created again', async () => {
    const { api, admin } = await setUp()
    const first = await api.call(createEmailSettings, { body: settings(), headers: admin })
    await api.call(deleteEmailSettings, { headers: admin })
    api.clock.move(1)
    await api.call(createEmailSettings, { body: settings(), headers: admin })

    const headers = { ...admin, 'if-match': first.headers['ETag'] ?? '' }

    expect(await api.call(deleteEmailSettings, { headers })).toMatchObject({ status: 412 })
  })
})
