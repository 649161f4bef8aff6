import { afterEach, describe, expect, it } from 'vitest'
import { handler as createEmailSettings } from '../../../functions/email/create-email-settings.ts'
import { handler as deleteEmailSettings } from '../../../functions/email/delete-email-settings.ts'
import { handler as sendTestMail } from '../../../functions/email/send-test-mail.ts'
import { anApi } from '../../support/platform/api.ts'
import { aMailSender, serverName } from '../../support/hooks/mail-sender.ts'
import { type MailServerSetup, type RunningMailServer, startMailServer } from '../../support/hooks/mail-server.ts'

const open: RunningMailServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

const login = { user: 'pbx', pass: 's3cr3t-Sm7p pass+ü' }

/** An admin whose domain's settings name a running mail server. */
async function setUp(setup: MailServerSetup & { readonly sends?: typeof login } = {}, given: object = {}) {
  const server = await startMailServer({ secure: true, login, ...setup })
  open.push(server)
  const memory = anApi()
  const api = memory.with({ mail: { ...memory.ports.mail, ...aMailSender().sender } })
  const admin = await api.account({ role: 'admin' })
  const headers = { ...(await api.as(admin)) }
  const auth = setup.sends ?? setup.login ?? login
  const options = { host: serverName, port: server.port, secure: setup.secure ?? true, auth }
  const body = { provider: 'smtp', from: 'pbx@a.example.com', options, ...given }
  const created = await api.call(createEmailSettings, { body, headers })
  expect(created.status).toBe(200)
  const send = async (to: unknown = 'someone@b.example.com') =>
    api.call(sendTestMail, { body: { to }, headers: { ...(await api.as(admin)) } })
  return { api, server, headers, send }
}

describe('a test mail', () => {
  it('a test mail is sent through the domain’s server, and the server’s reply is returned', async () => {
    const { server, send } = await setUp()

    expect(await send()).toMatchObject({ status: 200, body: { status: 'OK', info: '250 queued as 42' } })
    expect(server.received).toMatchObject([
      { from: 'pbx@a.example.com', to: ['someone@b.example.com'], secure: true, user: 'pbx' },
    ])
  })

  it('a test mail uses STARTTLS if the settings say so', async () => {
    const { server, send } = await setUp({ secure: false })

    expect(await send()).toMatchObject({ status: 200 })
    expect(server.received).toMatchObject([{ secure: true }])
  })

  it('a test mail is sent from the login at the server if no sender is set', async () => {
    const { server, send } = await setUp(
      { login: { user: 'box@a.example.com', pass: 's3cr3t-x' } },
      { from: undefined },
    )

    expect(await send()).toMatchObject({ status: 200 })
    expect(server.received).toMatchObject([{ from: 'box@a.example.com' }])
  })

  it('a test mail without any sender is refused before the server is asked', async () => {
    const { server, send } = await setUp({}, { from: undefined })

    expect(await send()).toMatchObject({ status: 400, body: { details: [{ field: 'from' }] } })
    expect(server.connections()).toBe(0)
  })

  it('a test mail of a domain without settings is not found', async () => {
    const { api, headers, send } = await setUp()
    await api.call(deleteEmailSettings, { headers })

    expect(await send()).toMatchObject({ status: 404, body: { info: 'Not found!' } })
  })

  it.each([
    '',
    'someone',
    'a@b\r\nBcc: c@d.example.com',
    'a@b.example.com\nX: y',
    'a@b.example.com, c@d.example.com',
    'A <a@b.example.com>',
    '"a b"@c.example.com',
    'a@b.example.com\u0000',
    ['a@b.example.com'],
    { address: 'a@b.example.com' },
    null,
    1,
  ])('a test mail to %j is refused and nothing is sent', async (to) => {
    const { server, send } = await setUp()

    const answer = await send(to)

    expect(answer.status).toBe(400)
    expect(server.connections()).toBe(0)
  })
})

describe('a server’s refusal', () => {
  const forms = {
    'as it is': (pass: string) => pass,
    'in base64': (pass: string) => Buffer.from(pass).toString('base64'),
    'as a whole login': (pass: string) => Buffer.from(`\0pbx\0${pass}`).toString('base64'),
    'percent-encoded': (pass: string) => encodeURIComponent(pass),
  }

  it.each(Object.entries(forms))(
    'a mail server’s refusal is returned in its words, without the password %s',
    async (_title, form) => {
      const { api, send } = await setUp({
        sends: login,
        login: { ...login, pass: 's3cr3t-another' },
        refuseLogin: (pass) => `no ${form(pass)}!`,
      })

      const answer = await send()

      expect(answer).toMatchObject({ status: 400, body: { code: 'bad_request' } })
      expect(answer.body.info).toContain('535 no ********!')
      const written = JSON.stringify([answer, api.log.lines, api.ports.state.audit])
      for (const write of Object.values(forms)) expect(written).not.toContain(write(login.pass))
    },
  )

  it('a mail server’s refusal of a recipient is returned', async () => {
    const { send } = await setUp({ refuseRecipient: 'unknown user' })

    expect((await send()).body.info).toContain('550 unknown user')
  })

  it('a mail server’s refusal is returned as one line of at most 500 characters', async () => {
    const { send } = await setUp({ refuseRecipient: `a\u0007b ${'x'.repeat(600)}` })

    const { info } = (await send()).body

    expect(info).toHaveLength(500)
    expect(info).not.toMatch(/\p{Cc}/u)
  })
})

describe('the allowance of test mails', () => {
  it('a domain may send five test mails an hour, counted from each of them', async () => {
    const { api, server, send } = await setUp()
    const statuses = []
    for (let minute = 0; minute < 6; minute += 1) {
      statuses.push((await send()).status)
      api.clock.move(60_000)
    }

    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    api.clock.move(53 * 60_000)
    expect(await send()).toMatchObject({
      status: 429,
      body: { code: 'rate_limited' },
      headers: { 'Retry-After': '60' },
    })
    api.clock.move(60_000)
    expect((await send()).status).toBe(200)
    expect((await send()).status).toBe(429)
    expect(server.received).toHaveLength(6)
  })

  it('the allowance of test mails is not restored by deleting and recreating the settings', async () => {
    const { api, headers, send } = await setUp()
    for (let index = 0; index < 5; index += 1) await send()
    await api.call(deleteEmailSettings, { headers })
    const options = { host: serverName, port: open[0]?.port }
    await api.call(createEmailSettings, {
      body: { provider: 'smtp', from: 'a@b.example.com', options },
      headers,
    })

    expect((await send()).status).toBe(429)
  })
})
