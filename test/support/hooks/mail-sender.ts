/** A mail sender whose names lead to this machine and whose timers a test runs by hand. */
import type { LookupAddress } from 'node:dns'
import { addressGuard } from '../../../adapters/http/address-guard.ts'
import { type MailLimits, mailLimits, mailSenderOver } from '../../../adapters/mail/guarded-mail-sender.ts'
import type { MailServer } from '../../../core/email/email-settings.ts'
import { mailAuthority } from './mail-server.ts'

/** The choices of a test. */
export interface MailSenderSetup {
  /** Networks that may be reached; this machine where not given. */
  readonly allowed?: string
  readonly resolve?: (hostname: string) => Promise<LookupAddress[]>
  readonly limits?: Partial<MailLimits>
}

/** The name that the certificate of the test's mail server is for. */
export const serverName = 'sink.example.com'

/** A sender, the names that it asked for, and a way to let its timers of some length run out. */
export function aMailSender({ allowed = '127.0.0.0/8', resolve, limits = {} }: MailSenderSetup = {}) {
  const asked: string[] = []
  const timers = new Set<{ readonly afterMs: number; readonly run: () => void }>()
  const sender = mailSenderOver({
    guard: addressGuard(allowed),
    resolve: async (hostname) => {
      asked.push(hostname)
      return resolve?.(hostname) ?? [{ address: '127.0.0.1', family: 4 }]
    },
    timers: {
      after: (afterMs, run) => {
        const timer = { afterMs, run }
        timers.add(timer)
        return () => void timers.delete(timer)
      },
    },
    limits: { ...mailLimits, ...limits },
    authorities: mailAuthority,
  })
  return {
    sender,
    asked,
    /** Runs what was to run after this time. */
    runOut: (ms: number) => {
      const due = Array.from(timers).filter(({ afterMs }) => afterMs === ms)
      for (const timer of due) {
        timers.delete(timer)
        timer.run()
      }
    },
    pending: () => timers.size,
  }
}

/** A server with TLS from the first byte and without a login, of which a test names only what it is about. */
export function aServer(given: Partial<MailServer> & { readonly port: number }): MailServer {
  return { host: serverName, secure: true, tls: { rejectUnauthorized: true }, ...given }
}

/** A message. */
export const aMail = {
  from: 'pbx@a.example.com',
  to: 'someone@b.example.com',
  subject: 'Test mail of a.example.com',
  text: 'A line.\nŪnicode, and a line that begins with a dot:\n.\n',
  id: '11111111-2222-4333-8444-555555555555',
  date: Date.UTC(2026, 0, 15, 12),
} as const
