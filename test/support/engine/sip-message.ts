import { createHash, randomBytes } from 'node:crypto'

/** A SIP request or answer, as far as a phone of the tests looks at it. */
export interface SipMessage {
  /** The method of a request; absent in an answer. */
  readonly method?: string | undefined
  /** The address that a request is for; absent in an answer. */
  readonly uri?: string | undefined
  /** The status of an answer; absent in a request. */
  readonly status?: number | undefined
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** Reads one datagram. */
export function readSip(text: string): SipMessage {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2)
  const [first = '', ...lines] = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(':')
    return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]
  })
  const status = /^SIP\/2\.0 (\d{3})/.exec(first)?.[1]
  return status === undefined
    ? { method: first.split(' ')[0] ?? '', uri: first.split(' ')[1] ?? '', headers, body }
    : { status: Number(status), headers, body }
}

/** The first value of a header; empty where there is none. */
export function headerOf({ headers }: SipMessage, name: string): string {
  return headers.find(([given]) => given === name)?.[1] ?? ''
}

/** Writes a request or an answer with the length of its body. */
export function writeSip(first: string, headers: readonly (readonly [string, string])[], body = ''): string {
  const all = [...headers, ['Content-Length', String(Buffer.byteLength(body))] as const]
  return `${first}\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}

/** A random word for tags, branches and call ids. */
export const token = () => randomBytes(8).toString('hex')

/** The credentials of a phone: a name, a realm, and the digest of both with the password. */
export interface SipCredential {
  readonly user: string
  readonly realm: string
  readonly a1Hash: string
}

/** The digest of SIP: MD5, in hex. */
export const md5 = (text: string) => createHash('md5').update(text).digest('hex')

/** The credential of an account. */
export function credentialOf(user: string, realm: string, password: string): SipCredential {
  return { user, realm, a1Hash: md5(`${user}:${realm}:${password}`) }
}

/** Answers a challenge (RFC 2617). The realm is the credential's own: a phone chooses it. */
export function digestAnswer(challenge: string, request: { method: string; uri: string }, by: SipCredential): string {
  const nonce = /nonce="([^"]*)"/.exec(challenge)?.[1] ?? ''
  const a2 = md5(`${request.method}:${request.uri}`)
  const cnonce = token()
  const response = md5(`${by.a1Hash}:${nonce}:00000001:${cnonce}:auth:${a2}`)
  return (
    `Digest username="${by.user}", realm="${by.realm}", nonce="${nonce}", uri="${request.uri}", ` +
    `response="${response}", algorithm=MD5, qop=auth, nc=00000001, cnonce="${cnonce}"`
  )
}
