import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { type AddressInfo, type Socket, createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { mailLimits } from '../../../adapters/mail/guarded-mail-sender.ts'
import type { MailServer } from '../../../core/email/email-settings.ts'
import { aMail, aMailSender, aServer, serverName } from '../../support/hooks/mail-sender.ts'
import { type MailServerSetup, startMailServer } from '../../support/hooks/mail-server.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function aMailServer(setup: MailServerSetup = {}) {
  const server = await startMailServer(setup)
  open.push(server)
  return server
}

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), 'utf8')

/** A server that does to each connection what the test says. */
async function aRawServer(accept: (socket: Socket) => void, tls = false) {
  const sockets = new Set<Socket>()
  const serve = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    accept(socket)
  }
  const server = tls
    ? createTlsServer({ key: fixture('sink.key'), cert: fixture('valid.pem') }, serve)
    : createServer(serve)
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push({
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}

describe('a message', () => {
  it('a message arrives over TLS unchanged, including lines that begin with dots', async () => {
    const server = await aMailServer({ secure: true })
    const { sender } = aMailSender()

    const outcome = await sender.send(aMail, aServer({ port: server.port }))

    expect(outcome).toEqual({ outcome: 'sent', reply: '250 queued as 42' })
    const [mail] = server.received
    expect(mail).toMatchObject({ from: aMail.from, to: [aMail.to], secure: true, user: undefined })
    const [, body = ''] = mail?.source.split('\r\n\r\n') ?? []
    expect(Buffer.from(body, 'base64').toString()).toBe(aMail.text.replaceAll('\n', '\r\n'))
    expect(mail?.source).toContain('Subject: Test mail of a.example.com\r\n')
    expect(mail?.source).toContain('Message-ID: <11111111-2222-4333-8444-555555555555@a.example.com>\r\n')
    expect(mail?.source).toContain('Date: Thu, 15 Jan 2026 12:00:00 +0000\r\n')
  })

  it.each([
    ['TLS from the first byte', { secure: true }],
    ['STARTTLS', { secure: false }],
    [
      'no TLS, where the server has none and the settings allow it',
      { secure: false, withoutTls: true, tls: { rejectUnauthorized: true, allowPlaintextLogin: true } as const },
    ],
  ])('a message is sent after a login over %s', async (_title, setup) => {
    const login = { user: 'pbx@a.example.com', pass: 's3cr3t-pa ss"ü' }
    const server = await aMailServer({ ...setup, login })
    const { sender } = aMailSender()
    const { secure, tls = { rejectUnauthorized: true } }: Partial<MailServer> = setup

    const outcome = await sender.send(aMail, aServer({ port: server.port, secure, tls, auth: login }))

    expect(outcome).toMatchObject({ outcome: 'sent' })
    expect(server.received).toMatchObject([{ user: login.user, secure: !('withoutTls' in setup) }])
  })

  it('a message is not sent when its login would go unencrypted to a server without STARTTLS', async () => {
    const seen: string[] = []
    const server = await aRawServer((socket) => {
      socket.write('220 ready\r\n')
      socket.on('data', (data) => {
        seen.push(String(data))
        socket.write(String(data).startsWith('EHLO') ? '250-here\r\n250 AUTH PLAIN LOGIN\r\n' : '502 no\r\n')
      })
    })
    const { sender } = aMailSender()
    const auth = { user: 'pbx@a.example.com', pass: 's3cr3t-in-clear' }

    const outcome = await sender.send(aMail, aServer({ port: server.port, secure: false, auth }))

    expect(outcome).toEqual({
      outcome: 'failed',
      reason: expect.stringMatching(/refuses STARTTLS.*allowPlaintextLogin/),
    })
    expect(seen.join('')).not.toContain('AUTH')
  })

  it('a message does not reveal the name of this machine to the server', async () => {
    const server = await aMailServer({ secure: true })
    const { sender } = aMailSender()

    await sender.send(aMail, aServer({ port: server.port }))

    expect(server.received[0]?.source).not.toMatch(/localhost|127\.0\.0\.1/)
  })

  it('a sent message leaves no open timer and no open connection', async () => {
    const server = await aRawServer((socket) => socket.end('554 go away\r\n'))
    const { sender, pending } = aMailSender()

    await sender.send(aMail, aServer({ port: server.port, secure: false }))

    expect(pending()).toBe(0)
  })
})

describe("a mail server's refusal", () => {
  it('a login that a mail server refuses is reported', async () => {
    const server = await aMailServer({
      secure: true,
      login: { user: 'a', pass: 's3cr3t-right' },
      refuseLogin: () => '5.7.8 no such login here',
    })
    const { sender } = aMailSender()

    const outcome = await sender.send(aMail, aServer({ port: server.port, auth: { user: 'a', pass: 's3cr3t-wrong' } }))

    expect(outcome).toEqual({ outcome: 'failed', reason: expect.stringContaining('535 5.7.8 no such login here') })
    expect(server.received).toEqual([])
  })

  it('a recipient that a mail server refuses is reported', async () => {
    const server = await aMailServer({ secure: true, refuseRecipient: 'no such user' })
    const { sender } = aMailSender()

    const outcome = await sender.send(aMail, aServer({ port: server.port }))

    expect(outcome).toEqual({ outcome: 'failed', reason: expect.stringContaining('no such user') })
  })

  it('a mail server that refuses in its greeting is reported', async () => {
    const server = await aRawServer((socket) => socket.end('554 we do not know you\r\n'))
    const { sender } = aMailSender()

    const outcome = await sender.send(aMail, aServer({ port: server.port, secure: false }))

    expect(outcome).toEqual({ outcome: 'failed', reason: expect.stringContaining('554 we do not know you') })
  })
})

describe('a certificate', () => {
  it.each(['expired.pem', 'other-name.pem', 'self-signed.pem'])(
    'a certificate that is %s is refused',
    async (certificate) => {
      const server = await aMailServer({ secure: true, certificate })
      const { sender } = aMailSender()

      const outcome = await sender.send(aMail, aServer({ port: server.port }))

      expect(outcome).toEqual({ outcome: 'failed', reason: 'no secure connection to the mail server could be made' })
      expect(server.received).toEqual([])
    },
  )

  it.each([true, false])(
    "an invalid certificate is accepted if the tenant's settings say so (secure: %s)",
    async (secure) => {
      const server = await aMailServer({ secure, certificate: 'self-signed.pem' })
      const { sender } = aMailSender()

      const outcome = await sender.send(
        aMail,
        aServer({ port: server.port, secure, tls: { rejectUnauthorized: false } }),
      )

      expect(outcome).toMatchObject({ outcome: 'sent' })
      expect(server.received).toMatchObject([{ secure: true }])
    },
  )

  it('an invalid certificate is refused after STARTTLS, and no login is sent', async () => {
    const login = { user: 'a', pass: 's3cr3t-b' }
    const server = await aMailServer({ certificate: 'other-name.pem', login })
    const { sender } = aMailSender()

    const outcome = await sender.send(aMail, aServer({ port: server.port, secure: false, auth: login }))

    expect(outcome).toMatchObject({ outcome: 'failed' })
    expect(server.received).toEqual([])
  })
})

describe('an address that may not be reached', () => {
  const blocked = { outcome: 'failed', reason: 'the mail server must not be at a local, private or reserved address' }

  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', '169.254.169.254'])(
    'a forbidden literal address of a mail server is refused: %s',
    async (host) => {
      const server = await aMailServer({ secure: true })
      const { sender, asked } = aMailSender({ allowed: '' })

      expect(await sender.send(aMail, aServer({ port: server.port, host }))).toEqual(blocked)
      expect(asked).toEqual([])
      expect(server.connections()).toBe(0)
    },
  )

  it('a mail server is refused when its name leads to a forbidden address, even together with a public one', async () => {
    const server = await aMailServer({ secure: true })
    const addresses = [
      { address: '192.0.2.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]
    const { sender } = aMailSender({ allowed: '192.0.2.0/24', resolve: async () => addresses })

    expect(await sender.send(aMail, aServer({ port: server.port }))).toEqual(blocked)
    expect(server.connections()).toBe(0)
  })

  it("a second answer of the resolver cannot change a mail server's address: there is only one lookup", async () => {
    const server = await aMailServer({ secure: true })
    const { sender, asked } = aMailSender()

    await sender.send(aMail, aServer({ port: server.port }))

    expect(asked).toEqual([serverName])
  })
})

describe('a server that does not do its part', () => {
  it('an unknown name of a mail server is reported', async () => {
    const { sender } = aMailSender({ resolve: () => Promise.reject(new Error('ENOTFOUND')) })

    expect(await sender.send(aMail, aServer({ port: 465 }))).toEqual({
      outcome: 'failed',
      reason: 'the name of the mail server cannot be resolved',
    })
  })

  it('a mail server that does not listen is reported', async () => {
    const server = await aMailServer()
    await server.close()
    open.length = 0
    const { sender } = aMailSender()

    expect(await sender.send(aMail, aServer({ port: server.port }))).toEqual({
      outcome: 'failed',
      reason: 'the mail server cannot be reached',
    })
  })

  it.each([
    ['says nothing', false],
    ['says nothing, and TLS was to begin', true],
  ])('a mail server that %s is given up at the time limit', async (_title, secure) => {
    const connected = Promise.withResolvers<void>()
    const server = await aRawServer(() => connected.resolve())
    const { sender, runOut } = aMailSender()

    const sending = sender.send(aMail, aServer({ port: server.port, secure }))
    await connected.promise
    await new Promise((resolve) => setImmediate(resolve))
    runOut(mailLimits.totalMs)

    expect(await sending).toEqual({ outcome: 'failed', reason: 'the mail server did not answer in time' })
  })

  it('a mail server whose name takes too long to resolve is given up at the time limit', async () => {
    const server = await aMailServer()
    let runOut = (_ms: number): void => {}
    const given = aMailSender({
      resolve: async () => {
        runOut(mailLimits.totalMs)
        return [{ address: '127.0.0.1', family: 4 }]
      },
    })
    runOut = given.runOut

    expect(await given.sender.send(aMail, aServer({ port: server.port }))).toEqual({
      outcome: 'failed',
      reason: 'the mail server did not answer in time',
    })
  })

  it('a mail server that never ends a line is cut off at the limit of a reply', async () => {
    const server = await aRawServer((socket) => flood(socket, 'x'.repeat(4096)))
    const { sender } = aMailSender()

    expect(await sender.send(aMail, aServer({ port: server.port, secure: false }))).toMatchObject({ outcome: 'failed' })
  })

  it.each([false, true])('a mail server that sends endless empty lines is cut off (TLS: %s)', async (secure) => {
    const server = await aRawServer((socket) => flood(socket, '\r\n'.repeat(2048)), secure)
    const { sender } = aMailSender()

    const outcome = await sender.send(aMail, aServer({ port: server.port, secure }))

    expect(outcome).toEqual({ outcome: 'failed', reason: 'the mail server cannot be reached' })
  })
})

/** Writes for as long as somebody reads. */
function flood(socket: Socket, text: string): void {
  const write = () => {
    while (!socket.destroyed && socket.write(text));
  }
  socket.on('drain', write)
  write()
}
