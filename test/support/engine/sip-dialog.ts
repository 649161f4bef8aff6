import type { SipHeader, SipLine } from './sip-line.ts'
import { type SipCredential, type SipMessage, digestAnswer, headerOf, token, writeSip } from './sip-message.ts'

/** Where a dialog begins: for a new one the engine's port, for one that a request began what that request says. */
export interface DialogStart {
  readonly callId: string
  /** The values of `From` and `To`. The latter gets its tag from the answer. */
  readonly local: string
  readonly remote: string
  /** The URI that requests are for, and where they go if it names no address. */
  readonly target: string
  readonly peer: string
}

/** How long a phone waits for a final answer: people take their time, engines do not. */
const patienceMs = (method: string) => (method === 'INVITE' ? 60_000 : 10_000)

/** One dialog of a phone of the tests: requests with a rising number, authenticated when the engine asks for it. */
export class SipDialog {
  readonly #line: SipLine
  readonly #start: DialogStart
  readonly #credential: SipCredential
  #remote: string
  #target: string
  #number = 0
  /** The INVITE that has no final answer yet. */
  #invited: { readonly branch: string; readonly number: number } | undefined

  constructor(line: SipLine, start: DialogStart, credential: SipCredential) {
    this.#line = line
    this.#start = start
    this.#credential = credential
    this.#remote = start.remote
    this.#target = start.target
  }

  get callId(): string {
    return this.#start.callId
  }

  /** A `Refer-To` that makes its receiver take over this dialog (RFC 3891). */
  get replacing(): string {
    const tag = (header: string) => /;tag=([^;>]+)/.exec(header)?.[1] ?? ''
    const replaces = `${this.callId};to-tag=${tag(this.#remote)};from-tag=${tag(this.#start.local)}`
    return `<${this.#target}?Replaces=${encodeURIComponent(replaces)}>`
  }

  /** Sends a request and resolves with its final answer. `progress` gets the provisional ones. */
  async request(
    method: string,
    extra: readonly SipHeader[] = [],
    body = '',
    progress: (answer: SipMessage) => void = () => {},
  ): Promise<SipMessage> {
    const uri = this.#target
    const first = await this.#ask(method, extra, body, progress)
    if (first.status !== 401 && first.status !== 407) return first
    const [asked, header] =
      first.status === 401 ? ['www-authenticate', 'Authorization'] : ['proxy-authenticate', 'Proxy-Authorization']
    const answer = digestAnswer(headerOf(first, asked ?? ''), { method, uri }, this.#credential)
    return this.#ask(method, [...extra, [header ?? '', answer]], body, progress)
  }

  /** Takes back the INVITE that has no answer yet. */
  cancel(): void {
    if (this.#invited !== undefined) this.#write('CANCEL', this.#invited.number, this.#invited.branch)
  }

  #ask(
    method: string,
    extra: readonly SipHeader[],
    body: string,
    progress: (answer: SipMessage) => void,
  ): Promise<SipMessage> {
    this.#number += 1
    const number = this.#number
    const branch = `z9hG4bK${token()}`
    if (method === 'INVITE') this.#invited = { branch, number }
    const { promise, resolve, reject } = Promise.withResolvers<SipMessage>()
    const timer = setTimeout(() => {
      stop()
      reject(new Error(`no answer to ${method} ${this.#target}`))
    }, patienceMs(method))
    const stop = this.#line.awaitAnswers(this.callId, `${number} ${method}`, (answer) => {
      if ((answer.status ?? 0) < 200) return progress(answer)
      clearTimeout(timer)
      stop()
      if (method === 'INVITE') this.#confirm(answer, number, branch)
      resolve(answer)
    })
    this.#write(method, number, branch, extra, body)
    return promise
  }

  /** Confirms the final answer to an INVITE; a successful one says where the dialog goes on. */
  #confirm(answer: SipMessage, number: number, branch: string): void {
    this.#invited = undefined
    const before = this.#remote
    this.#remote = headerOf(answer, 'to')
    if ((answer.status ?? 0) >= 300) {
      this.#write('ACK', number, branch)
      this.#remote = before
      return
    }
    this.#target = /<([^>]+)>/.exec(headerOf(answer, 'contact'))?.[1] ?? this.#target
    this.#write('ACK', number, `z9hG4bK${token()}`)
  }

  #write(method: string, number: number, branch: string, extra: readonly SipHeader[] = [], body = ''): void {
    const headers: SipHeader[] = [
      ['Via', `SIP/2.0/${this.#line.transport} ${this.#line.address};branch=${branch};rport`],
      ['Max-Forwards', '70'],
      ['From', this.#start.local],
      ['To', this.#remote],
      ['Call-ID', this.callId],
      ['CSeq', `${number} ${method}`],
      ['Contact', this.#line.contact],
      ...extra,
    ]
    const to = /@(\d+\.\d+\.\d+\.\d+:\d+)/.exec(this.#target)?.[1] ?? this.#start.peer
    this.#line.send(writeSip(`${method} ${this.#target} SIP/2.0`, headers, body), to)
  }
}
