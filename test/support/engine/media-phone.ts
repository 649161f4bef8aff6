/** A phone of the tests whose SIP line and media are encrypted, and what it speaks through: see `secure-media.ts`. */
import { SipDialog } from './sip-dialog.ts'
import { type SipHeader, type SipLine, answerSip, sdpHeader } from './sip-line.ts'
import { type SipMessage, type SipCredential, credentialOf, headerOf, token, writeSip } from './sip-message.ts'

/** The sound of one call. */
export interface Media {
  offer(): Promise<string>
  /** Takes the answer to the offer. */
  accept(sdp: string): Promise<void>
  /** Answers the offer of the other side. */
  answer(sdp: string): Promise<string>
  sing(hz: number): Promise<void>
  /** Resolves when the tone is heard. */
  hear(hz: number): Promise<void>
  close(): Promise<void>
}

/**
 * An account, the line of its phone and what it speaks through; `credential` is what the phone claims instead of its
 * own.
 */
export interface MediaPhoneOptions {
  readonly login: string
  readonly domain: string
  readonly password: string
  readonly credential?: SipCredential
  readonly line: (take: (request: SipMessage, sender: string) => void) => Promise<SipLine>
  readonly media: () => Promise<Media>
}

/** A call that is up. */
export interface MediaCall {
  readonly media: Media
  hangUp(): Promise<void>
}

/** A phone that tests drive. It answers each call at once. */
export interface MediaPhone {
  register(seconds?: number): Promise<number>
  /** Resolves with the final status, and the call when it was answered. */
  call(number: string): Promise<{ readonly status: number; readonly call?: MediaCall }>
  /** Sends one request outside of calls without an answer to a challenge. Resolves with the status. */
  bare(method: string, number: string): Promise<number>
  /** Resolves with the next call that rings here. */
  ringing(): Promise<MediaCall>
  close(): Promise<void>
}

/** Opens a phone. */
export async function openMediaPhone(options: MediaPhoneOptions): Promise<MediaPhone> {
  const { login, domain, password, media: openMedia } = options
  const credential = options.credential ?? credentialOf(login, domain, password)
  const account = `${login}@${domain}`
  const waiting: ((call: MediaCall) => void)[] = []
  const rang: MediaCall[] = []
  const medias: Media[] = []
  const tags = new Map<string, string>()
  const line = await options.line((request, sender) => void take(request, sender))
  const opened = async () => {
    const media = await openMedia()
    medias.push(media)
    return media
  }
  const dialog = (uri: string, to: string) =>
    new SipDialog(
      line,
      { callId: token(), local: `<sip:${account}>;tag=${token()}`, remote: to, target: uri, peer: '' },
      credential,
    )
  async function take(request: SipMessage, sender: string): Promise<void> {
    const callId = headerOf(request, 'call-id')
    if (request.method === 'ACK') return
    const known = tags.get(callId)
    const tag = known ?? token()
    if (request.method !== 'INVITE' || known !== undefined)
      return answerSip(line, request, sender, { status: '200 OK', tag })
    tags.set(callId, tag)
    const media = await opened()
    answerSip(line, request, sender, { status: '200 OK', tag, sdp: await media.answer(request.body) })
    const target = /<([^>]+)>/.exec(headerOf(request, 'contact'))?.[1] ?? ''
    const start = { callId, local: `${headerOf(request, 'to')};tag=${tag}`, remote: headerOf(request, 'from') }
    const own = new SipDialog(line, { ...start, target, peer: '' }, credential)
    const call = { media, hangUp: async () => void (await own.request('BYE')) }
    const taker = waiting.shift()
    if (taker === undefined) rang.push(call)
    else taker(call)
  }

  return {
    register: async (seconds = 3_600) => {
      const answer = await dialog(`sip:${domain}`, `<sip:${account}>`).request('REGISTER', [
        ['Expires', String(seconds)],
      ])
      return answer.status ?? 0
    },
    call: async (number) => {
      const uri = `sip:${number}@${domain}`
      const placed = dialog(uri, `<${uri}>`)
      const media = await opened()
      tags.set(placed.callId, '')
      const { status = 0, body } = await placed.request('INVITE', [sdpHeader], await media.offer())
      if (status !== 200) return { status }
      await media.accept(body)
      return { status, call: { media, hangUp: async () => void (await placed.request('BYE')) } }
    },
    bare: (method, number) => {
      const [uri, callId] = [`sip:${number}@${domain}`, token()]
      const { promise, resolve } = Promise.withResolvers<number>()
      const stop = line.awaitAnswers(callId, `1 ${method}`, ({ status = 0 }) => {
        if (status < 200) return
        stop()
        resolve(status)
      })
      const headers: SipHeader[] = [
        ['Via', `SIP/2.0/${line.transport} ${line.address};branch=z9hG4bK${token()};rport`],
        ['Max-Forwards', '70'],
        ['From', `<sip:${account}>;tag=${token()}`],
        ['To', `<${uri}>`],
        ['Call-ID', callId],
        ['CSeq', `1 ${method}`],
        ['Contact', line.contact],
      ]
      line.send(writeSip(`${method} ${uri} SIP/2.0`, headers), '')
      return promise
    },
    ringing: () =>
      new Promise((resolve) => {
        const call = rang.shift()
        if (call === undefined) waiting.push(resolve)
        else resolve(call)
      }),
    close: async () => {
      for (const media of medias) await media.close().catch(() => {})
      await line.close()
    },
  }
}
