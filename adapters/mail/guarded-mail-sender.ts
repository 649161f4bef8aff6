import type { Timers } from '../../core/concurrency/timers.ts'
import type { Socket } from 'node:net'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { hookAllowedNetworks } from '../../contracts/settings/platform.ts'
import { readVariable } from '../../contracts/settings/setting.ts'
import type { Mail, MailOutcome, MailServer } from '../../core/email/email-settings.ts'
import type { AddressGuard } from '../../core/requests/target-url.ts'
import type { MailSender } from '../../core/email/mail-sender.ts'
import type { AdapterContext } from '../context.ts'
import { addressGuard } from '../http/address-guard.ts'
import { type Resolver, systemResolver } from '../http/guarded-lookup.ts'
import { systemTimers } from '../system/system-time.ts'
import { TotalTimeout, failureOf } from '../http/send-errors.ts'
import { limitWire, streamOver } from '../http/wire-limit.ts'
import { openGuardedSocket } from './guarded-socket.ts'
import { senderDomain, writeMessage } from './write-message.ts'

/** The limits of one message. */
export interface MailLimits {
  /** For everything from the resolver's first question to the server's last answer. */
  readonly totalMs: number
  /** For resolving and connecting. */
  readonly connectMs: number
  readonly replyBytes: number
  /** Bytes that the server may send in all, TLS included. */
  readonly receivedBytes: number
}

/** Those of hooks, and room for the handshakes and the capabilities of a mail server. */
export const mailLimits: MailLimits = {
  totalMs: 15_000,
  connectMs: 5_000,
  replyBytes: 16 * 1024,
  receivedBytes: 256 * 1024,
}

/** The dependencies of the sender; tests give their own resolver, scheduler and authorities. */
export interface MailSenderOptions {
  readonly guard: AddressGuard
  readonly resolve: Resolver
  readonly timers: Timers
  readonly limits: MailLimits
  /** Authorities that servers are verified against, in PEM form; those of the system where left out. */
  readonly authorities?: string
}

/** Returns the mail sender of a deployment: it may reach what hooks may reach. */
export function guardedMailSender(context: AdapterContext): MailSender {
  return mailSenderOver({
    guard: addressGuard(readVariable(hookAllowedNetworks, context.env).join(',')),
    resolve: systemResolver,
    timers: systemTimers,
    limits: mailLimits,
  })
}

/** Returns a sender that reaches only what its guard permits. It never throws: a failed message is an outcome, too. */
export function mailSenderOver(options: MailSenderOptions): MailSender {
  return {
    async send(mail, server) {
      try {
        return await deliver(mail, server, options)
      } catch (error) {
        return { outcome: 'failed', reason: reasonOf(error) }
      }
    },
  }
}

async function deliver(mail: Mail, server: MailServer, options: MailSenderOptions): Promise<MailOutcome> {
  const { limits, timers } = options
  const message = await writeMessage(mail)
  const ended = Promise.withResolvers<never>()
  ended.promise.catch(() => {})
  let socket: Socket | undefined
  let connection: SMTPConnection | undefined
  const stopTimer = timers.after(limits.totalMs, () => {
    const error = new TotalTimeout()
    ended.reject(error)
    socket?.destroy(error)
  })
  try {
    socket = await openGuardedSocket(server.host, server.port, { ...options, connectMs: limits.connectMs })
    limitWire(socket, limits.receivedBytes)
    connection = new SMTPConnection(connectionOptions(mail, server, streamOver(socket), options))
    connection.on('error', (error) => ended.reject(error))
    const reply = await Promise.race([converse(connection, server, mail, message), ended.promise])
    return { outcome: 'sent', reply }
  } finally {
    stopTimer()
    connection?.close()
    socket?.destroy()
  }
}

function connectionOptions(mail: Mail, server: MailServer, socket: Socket, { limits, authorities }: MailSenderOptions) {
  return {
    connection: socket,
    host: server.host,
    port: server.port,
    secure: server.secure,
    // An attacker on the path can hide STARTTLS; the login must not be sent in clear because of that.
    requireTLS: server.auth !== undefined && server.tls.allowPlaintextLogin !== true,
    // The host name of a function would reveal where the service runs, so the sender's domain is used.
    name: senderDomain(mail),
    greetingTimeout: limits.totalMs,
    socketTimeout: limits.totalMs,
    socketCloseTimeout: 0,
    maxResponseSize: limits.replyBytes,
    logger: false,
    tls: {
      rejectUnauthorized: server.tls.rejectUnauthorized,
      minVersion: 'TLSv1.2' as const,
      ...(authorities === undefined ? {} : { ca: authorities }),
    },
  }
}

async function converse(
  connection: SMTPConnection,
  { auth }: MailServer,
  mail: Mail,
  message: Buffer,
): Promise<string> {
  await called((done) => connection.connect(done))
  if (auth !== undefined) await called((done) => connection.login({ credentials: auth }, done))
  const envelope = { from: mail.from, to: [mail.to] }
  const { response } = await new Promise<{ readonly response: string }>((resolve, reject) => {
    connection.send(envelope, message, (error, info) => {
      if (error) reject(error)
      else resolve(info)
    })
  })
  return response
}

function called(call: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    call((error) => {
      if (error) reject(error)
      else resolve()
    })
  })
}

const words = {
  'blocked address': 'the mail server must not be at a local, private or reserved address',
  timeout: 'the mail server did not answer in time',
  dns: 'the name of the mail server cannot be resolved',
  tls: 'no secure connection to the mail server could be made',
  network: 'the mail server cannot be reached',
} as const

const loginWantsTls =
  'the mail server refuses STARTTLS, and a login is sent over TLS only, unless options.tls.allowPlaintextLogin is true'

function reasonOf(error: unknown): string {
  if (error instanceof Error && 'command' in error && error.command === 'STARTTLS') return loginWantsTls
  if (error instanceof Error && 'response' in error && typeof error.response === 'string' && error.response !== '') {
    return error.response
  }
  return words[failureOf(underlying(error))]
}

function underlying(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = 'originalCode' in error ? error.originalCode : 'code' in error ? error.code : undefined
  if (code === undefined || error.constructor !== Error) return error
  return Object.assign(new Error(error.message, { cause: error }), { code: code === 'ETLS' ? 'ERR_TLS' : code })
}
