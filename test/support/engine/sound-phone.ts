/** A SIP phone of the tests that sends sound and counts what it hears, over UDP on the loopback address. */
import { SipDialog } from './sip-dialog.ts'
import { type SipHeader, type SipLine, answerSip, openSipLine } from './sip-line.ts'
import { type SipMessage, credentialOf, headerOf, token } from './sip-message.ts'
import type { PhoneOptions } from './sip-phone.ts'
import { SoundCall } from './sound-call.ts'
import { openSoundStream } from './sound-stream.ts'

/**
 * An account, and whether its phone answers each call at once; by default a test answers with {@link SoundCall.answer}.
 */
export interface SoundPhoneOptions extends PhoneOptions {
  readonly isAnswering?: boolean
  /** The address of the engine; by default 127.0.0.1. */
  readonly engine?: string
  /** The name in its From header. */
  readonly display?: string
  /** Further headers of the calls that it places. */
  readonly headers?: readonly SipHeader[]
}

/** A phone that tests drive. Each of its calls has a stream of media of its own. */
export interface SoundPhone {
  /** `ip:port` */
  readonly address: string
  /** Registers, or with 0 seconds takes the registration back. Resolves with the final status. */
  register(seconds?: number): Promise<number>
  /** Calls a number; the call may be heard before it is answered. */
  dial(number: string): Promise<SoundCall>
  /** Calls a number and waits for the answer. Rejects unless the call is answered. */
  call(number: string): Promise<SoundCall>
  /**
   * Resolves with the earliest call that rings here, or has been answered, and was not taken from here yet. Rejects
   * when `placed`, which should ring here, is refused.
   */
  ringing(placed?: SoundCall): Promise<SoundCall>
  /** Requests outside of calls, such as NOTIFY with `message-summary`: the lamp of a mailbox. */
  readonly notified: readonly SipMessage[]
  /** Hangs up what is up, and frees all ports. */
  close(): Promise<void>
}

/** Opens a phone on ports of its own. */
export async function openSoundPhone(options: SoundPhoneOptions): Promise<SoundPhone> {
  const { port, login, domain, password = '', ip = '127.0.0.1', isBusy = false, isAnswering = false } = options
  const { display, engine = '127.0.0.1', headers = [] } = options
  const account = `${login}@${domain}`
  const credential = options.credential ?? credentialOf(login, domain, password)
  const calls = new Map<string, SoundCall>()
  const rang: SoundCall[] = []
  const waiting: ((call: SoundCall) => void)[] = []
  const notified: SipMessage[] = []
  const line: SipLine = await openSipLine(ip, login, (request, sender) => void take(request, sender))

  const begin = (uri: string, to: string) => {
    const local = `${display === undefined ? '' : `"${display}" `}<sip:${account}>;tag=${token()}`
    return new SipDialog(
      line,
      { callId: token(), local, remote: to, target: uri, peer: `${engine}:${port}` },
      credential,
    )
  }
  async function take(request: SipMessage, sender: string): Promise<void> {
    if (request.method === 'ACK') return
    const known = calls.get(headerOf(request, 'call-id'))
    if (known !== undefined) return known.take(request, sender)
    if (request.method === 'INVITE') return ring(request, sender)
    notified.push(request)
    answerSip(line, request, sender, { status: '200 OK', tag: token() })
  }
  async function ring(request: SipMessage, sender: string): Promise<void> {
    const tag = token()
    const callId = headerOf(request, 'call-id')
    if (isBusy) return answerSip(line, request, sender, { status: '486 Busy Here', tag })
    const start = {
      callId,
      local: `${headerOf(request, 'to')};tag=${tag}`,
      remote: headerOf(request, 'from'),
      target: /<([^>]+)>/.exec(headerOf(request, 'contact'))?.[1] ?? '',
      peer: sender,
    }
    const stream = await openSoundStream(ip)
    if (calls.has(callId)) return stream.close()
    const dialog = new SipDialog(line, start, credential)
    const call = new SoundCall(line, dialog, stream, account, { request, sender, tag })
    calls.set(callId, call)
    answerSip(line, request, sender, { status: '180 Ringing', tag })
    if (isAnswering) call.answer()
    const taker = waiting.shift()
    if (taker === undefined) rang.push(call)
    else taker(call)
  }
  const dial = async (number: string) => {
    const uri = `sip:${number}@${domain}`
    const dialog = begin(uri, `<${uri}>`)
    const call = new SoundCall(line, dialog, await openSoundStream(ip), account)
    calls.set(call.callId, call)
    void call.place(headers)
    return call
  }

  return {
    address: line.address,
    notified,
    register: async (seconds = 3_600) => {
      const dialog = begin(`sip:${domain}`, `<sip:${account}>`)
      return (await dialog.request('REGISTER', [['Expires', String(seconds)]])).status ?? 0
    },
    dial,
    call: async (number) => {
      const call = await dial(number)
      const status = await call.answered
      if (status !== 200) throw new Error(`the call to ${number} ended with ${status}`)
      return call
    },
    ringing: (placed) =>
      new Promise((resolve, reject) => {
        let call = rang.shift()
        while (call?.isOver === true) call = rang.shift()
        if (call !== undefined) return resolve(call)
        waiting.push(resolve)
        const end = (status: number) => {
          const at = waiting.indexOf(resolve)
          if (at < 0 || status === 200) return
          waiting.splice(at, 1)
          reject(new Error(`the call was refused with ${status}`))
        }
        void placed?.answered.then(end)
      }),
    close: async () => {
      for (const call of calls.values()) {
        await call.hangUp().catch(() => {})
        await call.close()
      }
      await line.close()
    },
  }
}
