/**
 * A SIP phone of the tests, over UDP on the loopback address: it registers, calls, answers and hangs up. It sends no
 * media.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import {
  type SipCredential,
  type SipMessage,
  credentialOf,
  digestAnswer,
  headerOf,
  readSip,
  token,
  writeSip,
} from './sip-message.ts'

/** An account, or what a phone claims to be. */
export interface PhoneOptions {
  /** The SIP port of the engine. */
  readonly port: number
  readonly login: string
  readonly domain: string
  readonly password?: string
  /** The loopback address of the phone; by default 127.0.0.1. */
  readonly ip?: string
  /** Its Contact header, in which HERE stands for its own address; by default its login there. */
  readonly contact?: string
  /** Its Path header, as of a proxy; by default it has none. */
  readonly path?: string
  /** Whether it refuses calls as busy (486); by default it answers each. */
  readonly isBusy?: boolean
  /** The credentials of the phone; by default the account's own. */
  readonly credential?: SipCredential
}

/** A call as the phone that placed it sees it. */
export interface PlacedCall {
  /** The final status: 200 when it was answered. */
  readonly status: number
  readonly callId: string
  hangUp(): Promise<void>
  /** Resolves when the other side hangs up. */
  readonly ended: Promise<void>
}

/** A phone that tests drive. */
export interface SipPhone {
  /**
   * Registers, or with 0 seconds takes the registration back. Answers the final status and whether it has a contact.
   */
  register(seconds?: number, to?: string): Promise<{ readonly status: number; readonly hasContact: boolean }>
  call(number: string, from?: string): Promise<PlacedCall>
  /** The calls that rang here, by who called; each was answered, or refused by a busy phone. */
  readonly rang: readonly string[]
  /** The numbers that these calls had dialled. */
  readonly dialled: readonly string[]
  /** `ip:port` */
  readonly address: string
  /** Resolves when the next call rings here. */
  ringing(): Promise<string>
  close(): Promise<void>
}

/** How long a phone waits for a final answer: the engine's own patience with the platform, and more. */
const patienceMs = 15_000

/** Opens a phone on a port of its own. */
export async function openSipPhone(options: PhoneOptions): Promise<SipPhone> {
  const { port, login, domain, password = '', ip = '127.0.0.1', isBusy = false } = options
  const credential = options.credential ?? credentialOf(login, domain, password)
  const socket = createSocket('udp4')
  socket.bind(0, ip)
  await once(socket, 'listening')
  const here = `${ip}:${socket.address().port}`
  const contact = options.contact?.replaceAll('HERE', here) ?? `<sip:${login}@${here}>`
  const waiting = new Map<string, (answer: SipMessage) => void>()
  const ends = new Map<string, () => void>()
  const rang: string[] = []
  const dialled: string[] = []
  const bell = new EventTarget()
  const send = (text: string, to = port) => socket.send(text, to, '127.0.0.1')
  const sdp = () =>
    ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', 'm=audio 9 RTP/AVP 0', ''].join('\r\n')
  const media = ['Content-Type', 'application/sdp'] as const

  socket.on('message', (bytes, sender) => {
    const message = readSip(bytes.toString('utf8'))
    const key = `${headerOf(message, 'call-id')} ${headerOf(message, 'cseq')}`
    if (message.status !== undefined) {
      if (message.status >= 200) waiting.get(key)?.(message)
    } else answerRequest(message, sender.port)
  })

  /** The answer goes where the request came from: that may be an engine where the phone is not registered. */
  function answerRequest(request: SipMessage, sender: number): void {
    if (request.method === 'ACK') return
    const isInvite = request.method === 'INVITE'
    const tag = headerOf(request, 'to').includes(';tag=') ? '' : `;tag=${token()}`
    const echoed = request.headers.flatMap(([name, value]): [string, string][] =>
      ['via', 'from', 'call-id', 'cseq', 'record-route'].includes(name) ? [[name, value]] : [],
    )
    const headers = [...echoed, ['To', `${headerOf(request, 'to')}${tag}`], ['Contact', contact]] as const
    const isRefused = isInvite && isBusy
    const hasMedia = isInvite && !isRefused
    const status = isRefused ? '486 Busy Here' : '200 OK'
    send(writeSip(`SIP/2.0 ${status}`, hasMedia ? [...headers, media] : headers, hasMedia ? sdp() : ''), sender)
    if (request.method === 'BYE') ends.get(headerOf(request, 'call-id'))?.()
    if (isInvite && tag !== '') {
      const caller = /sip:([^@;>]+)@/.exec(headerOf(request, 'from'))?.[1] ?? ''
      rang.push(caller)
      dialled.push(/^sip:([^@;]+)@/.exec(request.uri ?? '')?.[1] ?? '')
      bell.dispatchEvent(new CustomEvent('ring', { detail: caller }))
    }
  }

  /** One dialog: requests with a rising number, authenticated when the engine asks for it. */
  function dialog(uri: string, from: string, to: string) {
    const callId = token()
    const fromTag = token()
    let number = 0
    let remote = to
    const write = (method: string, seq: number, extra: readonly (readonly [string, string])[], body: string) => {
      const headers = [
        ['Via', `SIP/2.0/UDP ${here};branch=z9hG4bK${token()};rport`],
        ['Max-Forwards', '70'],
        ['From', `<sip:${from}>;tag=${fromTag}`],
        ['To', remote],
        ['Call-ID', callId],
        ['CSeq', `${seq} ${method}`],
        ['Contact', contact],
        ...extra,
      ] as const
      send(writeSip(`${method} ${uri} SIP/2.0`, headers, body))
    }
    const once = (method: string, extra: readonly (readonly [string, string])[], body: string) =>
      new Promise<SipMessage>((resolve, reject) => {
        number += 1
        const seq = number
        const key = `${callId} ${seq} ${method}`
        const timer = setTimeout(() => settle(() => reject(new Error(`no answer to ${method} ${uri}`))), patienceMs)
        const settle = (how: () => void) => {
          clearTimeout(timer)
          waiting.delete(key)
          how()
        }
        waiting.set(key, (answer) => {
          if (method === 'INVITE') {
            const invited = remote
            remote = headerOf(answer, 'to')
            write('ACK', seq, [], '')
            if (answer.status !== 200) remote = invited
          }
          settle(() => resolve(answer))
        })
        write(method, seq, extra, body)
      })
    const request = async (method: string, extra: readonly (readonly [string, string])[] = [], body = '') => {
      const first = await once(method, extra, body)
      const [asked, header] =
        first.status === 401
          ? ['www-authenticate', 'Authorization']
          : first.status === 407
            ? ['proxy-authenticate', 'Proxy-Authorization']
            : ['', '']
      if (header === undefined || header === '') return first
      const answer = digestAnswer(headerOf(first, asked ?? ''), { method, uri }, credential)
      return once(method, [...extra, [header, answer]], body)
    }
    return { callId, request }
  }

  return {
    rang,
    dialled,
    address: here,
    ringing: () =>
      new Promise((resolve) =>
        bell.addEventListener('ring', (ring) => resolve(ring instanceof CustomEvent ? String(ring.detail) : ''), {
          once: true,
        }),
      ),
    register: async (seconds = 3_600, to = `${login}@${domain}`) => {
      const { request } = dialog(`sip:${domain}`, to, `<sip:${to}>`)
      const path = options.path === undefined ? [] : [['Path', options.path] as const]
      const answer = await request('REGISTER', [['Expires', String(seconds)], ...path])
      return { status: answer.status ?? 0, hasContact: headerOf(answer, 'contact').includes(here) }
    },
    call: async (number, from = `${login}@${domain}`) => {
      const uri = `sip:${number}@${domain}`
      const { callId, request } = dialog(uri, from, `<${uri}>`)
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      ends.set(callId, resolve)
      const answer = await request('INVITE', [media], sdp())
      return {
        status: answer.status ?? 0,
        callId,
        ended,
        hangUp: async () => {
          await request('BYE')
        },
      }
    },
    close: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}
