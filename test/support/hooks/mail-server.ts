/** A real SMTP server on 127.0.0.1 that keeps what it was sent and refuses as a test says. */
import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), 'utf8')

/** The authority of the certificates; `localhost.test` style names stand in them. */
export const mailAuthority = fixture('ca.pem')

/** A message as it was accepted. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly source: string
  /** Whether it came over TLS. */
  readonly secure: boolean
  /** Who had logged in. */
  readonly user: string | undefined
}

/** How the server differs from one that takes everything without a login. */
export interface MailServerSetup {
  /** TLS from the first byte; otherwise STARTTLS is offered. */
  readonly secure?: boolean
  readonly withoutTls?: boolean
  /** The login that it wants. */
  readonly login?: { readonly user: string; readonly pass: string }
  /** Its answer to a wrong login, given the password that it saw. */
  readonly refuseLogin?: (pass: string) => string
  /** Its answer to a recipient. */
  readonly refuseRecipient?: string
  readonly certificate?: string
}

/** A running server. */
export interface RunningMailServer {
  readonly port: number
  readonly received: ReceivedMail[]
  connections(): number
  close(): Promise<void>
}

/** Starts a server on a free port. Close it at the end of the test. */
export async function startMailServer(setup: MailServerSetup = {}): Promise<RunningMailServer> {
  const received: ReceivedMail[] = []
  let connections = 0
  const server = new SMTPServer({
    ...optionsOf(setup),
    onConnect(_session, done) {
      connections += 1
      done()
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString('utf8'),
          secure: session.secure,
          user: session.user,
        })
        done(null, 'queued as 42')
      })
    },
  })
  // A client that hangs up at once is part of some tests.
  server.on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    received,
    connections: () => connections,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function optionsOf(setup: MailServerSetup): SMTPServerOptions {
  const { login, secure = false, withoutTls = false } = setup
  return {
    secure,
    disabledCommands: [...(withoutTls ? ['STARTTLS' as const] : []), ...(login === undefined ? ['AUTH' as const] : [])],
    allowInsecureAuth: withoutTls,
    authOptional: login === undefined,
    key: fixture('sink.key'),
    cert: fixture(setup.certificate ?? 'valid.pem'),
    closeTimeout: 100,
    logger: false,
    disableReverseLookup: true,
    onAuth({ username, password }, _session, done) {
      if (login !== undefined && username === login.user && password === login.pass) done(null, { user: login.user })
      else done(replyError(535, setup.refuseLogin?.(password ?? '') ?? 'authentication failed'))
    },
    onRcptTo(_address, _session, done) {
      done(setup.refuseRecipient === undefined ? null : replyError(550, setup.refuseRecipient))
    },
  }
}

function replyError(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode })
}
