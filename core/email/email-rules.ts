import { type FieldProblem, DomainError } from '../errors.ts'
import { type AddressGuard, hostProblem } from '../requests/target-url.ts'
import type { EmailOptions } from './email-settings.ts'

/** Mail settings as a request holds them; every text has matched its pattern. */
export interface EmailInput {
  readonly provider: 'smtp'
  readonly description?: string | undefined
  readonly from?: string | undefined
  readonly options: {
    readonly host: string
    readonly port?: number | undefined
    readonly secure?: boolean | undefined
    readonly debug?: boolean | undefined
    readonly tls?:
      | {
          readonly rejectUnauthorized?: boolean | undefined
          readonly allowPlaintextLogin?: boolean | undefined
        }
      | undefined
    readonly auth?: { readonly user?: string | undefined; readonly pass?: string | undefined } | undefined
  }
}

/** Ports of other services that a forged conversation could harm: SSH, DNS, remote desktop, and the event socket. */
const refusedMailPorts: ReadonlySet<number> = new Set([22, 53, 3389, 8021])

/** The ports of mail submission (RFC 8314): TLS from the first byte, and STARTTLS. */
const tlsPort = 465
const startTlsPort = 587

/**
 * Returns the options with their defaults, without the login. Throws `invalid_field` for a host or port that is not
 * allowed.
 */
export function readEmailOptions({ options }: EmailInput, guard: AddressGuard): Omit<EmailOptions, 'auth'> {
  const secure = options.secure ?? true
  const port = options.port ?? (secure ? tlsPort : startTlsPort)
  const problems = [...problemsOf('options.host', mailHostProblem(options.host, guard)), ...portProblems(port)]
  const [first] = problems
  if (first !== undefined) {
    throw new DomainError('invalid_field', `${first.field}: ${first.problem}`, { details: problems })
  }
  return {
    host: options.host,
    port,
    secure,
    debug: options.debug ?? false,
    tls: {
      rejectUnauthorized: options.tls?.rejectUnauthorized ?? true,
      ...(options.tls?.allowPlaintextLogin === true ? { allowPlaintextLogin: true } : {}),
    },
  }
}

function portProblems(port: number): FieldProblem[] {
  return problemsOf('options.port', refusedMailPorts.has(port) ? `must not be ${port}` : undefined)
}

function problemsOf(field: string, problem: string | undefined): FieldProblem[] {
  return problem === undefined ? [] : [{ field, problem }]
}

/**
 * Returns the problem of a mail server's host. It is checked like the host of a hook's URL, in whatever notation it is
 * written. Anything in addition to a host (a port, a path, user info) is refused.
 */
function mailHostProblem(text: string, guard: AddressGuard): string | undefined {
  const host = parsedHost(text)
  return host === undefined ? 'must be a host name or an IP address' : hostProblem(host, guard)
}

/** Returns the host of a mail server as a resolver or socket takes it: in ASCII, an IPv6 address without brackets. */
export function mailHost(text: string): string {
  return (parsedHost(text) ?? text).replace(/^\[(.*)\]$/, '$1')
}

function parsedHost(text: string): string | undefined {
  const isIpv6 = /^\[?[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\]?$/.test(text)
  if (!isIpv6 && /[\s/?#@\\:[\]%]/u.test(text)) return undefined
  const url = URL.parse(`http://${isIpv6 && !text.startsWith('[') ? `[${text}]` : text}/`)
  return url === null || url.hostname === '' ? undefined : url.hostname
}
