/**
 * A SIP registrar of the tests, over UDP on the loopback address: the other side of gateways. It challenges and knows
 * passwords.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type SipMessage, credentialOf, headerOf, md5, readSip, token, writeSip } from './sip-message.ts'

/** A registrar that tests look into. */
export interface SipRegistrar {
  readonly port: number
  /** The users that are registered now. */
  registered(): readonly string[]
  close(): Promise<void>
}

/**
 * Opens a registrar on a free port. `passwords` are those of its users; any other user, a wrong password, and a
 * registration of another name is refused with 403.
 */
export async function openSipRegistrar(
  realm: string,
  passwords: Readonly<Record<string, string>>,
): Promise<SipRegistrar> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const users = new Set<string>()
  const nonce = token()

  /** Returns the status of the answer to a registration. */
  const judge = (request: SipMessage, line: string): number => {
    const given = headerOf(request, 'authorization')
    if (given === '') return 401
    const part = (name: string) => new RegExp(`(?:^|[ ,])${name}="?([^",]*)"?`).exec(given)?.[1] ?? ''
    const user = part('username')
    if (!headerOf(request, 'to').includes(`<sip:${user}@`)) return 403
    const { a1Hash } = credentialOf(user, realm, passwords[user] ?? token())
    const a2 = md5(`REGISTER:${part('uri')}`)
    const proof = part('qop') === '' ? [] : [part('nc'), part('cnonce'), part('qop')]
    if (part('response') !== md5([a1Hash, part('nonce'), ...proof, a2].join(':'))) return 403
    if (/expires[=:] ?0\b/i.test(line)) users.delete(user)
    else users.add(user)
    return 200
  }

  socket.on('message', (bytes, sender) => {
    const text = bytes.toString('utf8')
    const request = readSip(text)
    if (request.method !== 'REGISTER') return
    const status = judge(request, `${headerOf(request, 'contact')} expires: ${headerOf(request, 'expires')}`)
    const echoed = request.headers.filter(([name]) => ['via', 'from', 'call-id', 'cseq', 'contact'].includes(name))
    const headers = [
      ...echoed,
      ['To', `${headerOf(request, 'to')};tag=${token()}`] as const,
      ...(status === 401
        ? [['WWW-Authenticate', `Digest realm="${realm}", nonce="${nonce}", qop="auth"`] as const]
        : []),
      ...(status === 200 ? [['Expires', headerOf(request, 'expires')] as const] : []),
    ]
    const phrase = { 200: 'OK', 401: 'Unauthorized', 403: 'Forbidden' }[status] ?? ''
    socket.send(writeSip(`SIP/2.0 ${status} ${phrase}`, headers), sender.port, sender.address)
  })

  return {
    port: socket.address().port,
    registered: () => [...users].toSorted(),
    close: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}
