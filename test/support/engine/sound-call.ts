import type { SipDialog } from './sip-dialog.ts'
import { type SipHeader, type SipLine, answerSip, sdpHeader } from './sip-line.ts'
import { type SipMessage, headerOf } from './sip-message.ts'
import { type Heard, type SoundStream, digitPayloadType } from './sound-stream.ts'

/** The direction of the media of a phone: both ways, or what a phone asks for while it holds the call. */
type Direction = 'sendrecv' | 'sendonly' | 'recvonly'

/** A call of a phone that sends and hears sound. */
export class SoundCall {
  readonly #line: SipLine
  readonly #dialog: SipDialog
  readonly #stream: SoundStream
  readonly #account: string
  /** The request that rings here, with where its answer goes; absent in a call that this phone placed. */
  readonly #rung: { readonly request: SipMessage; readonly sender: string; readonly tag: string } | undefined
  readonly #answered = Promise.withResolvers<number>()
  readonly #over = Promise.withResolvers<string>()
  #version = 0
  #state: 'ringing' | 'up' | 'over' = 'ringing'

  constructor(
    line: SipLine,
    dialog: SipDialog,
    stream: SoundStream,
    account: string,
    rung?: { readonly request: SipMessage; readonly sender: string; readonly tag: string },
  ) {
    this.#line = line
    this.#dialog = dialog
    this.#stream = stream
    this.#account = account
    this.#rung = rung
    if (rung !== undefined) this.#readSdp(rung.request.body)
  }

  get callId(): string {
    return this.#dialog.callId
  }

  /** Whether either side has hung up, given up or refused. */
  get isOver(): boolean {
    return this.#state === 'over'
  }

  /** The INVITE that rang here; absent in a call that this phone placed. */
  get invite(): SipMessage | undefined {
    return this.#rung?.request
  }

  /** Resolves with the final status: 200 when the call was answered, by whichever side. */
  get answered(): Promise<number> {
    return this.#answered.promise
  }

  /** Resolves when the other side has hung up or given up, with its `Reason`. */
  get ended(): Promise<string> {
    return this.#over.promise
  }

  /** What came so far, also before the answer. */
  get heard(): Heard {
    return this.#stream.heard
  }

  /** Sends a tone from now on, and silence without a frequency. */
  sing(hz?: number): void {
    this.#stream.sing(hz)
  }

  /** See {@link SoundStream.hear}. */
  hear(packets: number, hz?: number): Promise<void> {
    return this.#stream.hear(packets, hz)
  }

  /** See {@link SoundStream.listen}. */
  listen(packets: number): Promise<Heard> {
    return this.#stream.listen(packets)
  }

  /** Presses keys; they go as packets of RFC 2833. */
  press(digits: string): Promise<void> {
    return this.#stream.press(digits)
  }

  /** Presses keys; each goes as a request INFO with `application/dtmf-relay`. Resolves with the statuses. */
  async pressByInfo(digits: string): Promise<number[]> {
    const statuses: number[] = []
    for (const digit of digits) {
      const body = `Signal=${digit}\r\nDuration=160\r\n`
      statuses.push(
        (await this.#dialog.request('INFO', [['Content-Type', 'application/dtmf-relay']], body)).status ?? 0,
      )
    }
    return statuses
  }

  /** Answers a call that rings here, or refuses it with a status such as `486 Busy Here`. */
  answer(status = '200 OK'): void {
    if (this.#rung === undefined || this.#state !== 'ringing') return
    this.#state = status.startsWith('200') ? 'up' : 'over'
    const { request, sender, tag } = this.#rung
    answerSip(this.#line, request, sender, { status, tag, ...(this.#state === 'up' ? { sdp: this.#sdp() } : {}) })
    this.#answered.resolve(Number.parseInt(status, 10))
  }

  /** Holds the call as a phone does. Resolves with the status. */
  hold(): Promise<number> {
    return this.#offer('sendonly')
  }

  /** Takes the call back from hold. Resolves with the status. */
  unhold(): Promise<number> {
    return this.#offer('sendrecv')
  }

  /** Hands the other side over to a number (blind transfer). Resolves with the status, 202 when it was accepted. */
  transfer(number: string): Promise<number> {
    return this.#refer(`<sip:${number}@${this.#account.split('@')[1]}>`)
  }

  /** Joins the other side with that of another call of this phone (attended transfer). Resolves with the status. */
  transferTo(call: SoundCall): Promise<number> {
    return this.#refer(call.#dialog.replacing)
  }

  /** Ends the call, or gives up calling, or refuses the call that rings. */
  async hangUp(): Promise<void> {
    if (this.#state === 'up') {
      this.#state = 'over'
      await this.#dialog.request('BYE')
    } else if (this.#rung === undefined) this.#dialog.cancel()
    else this.answer('603 Decline')
  }

  /** Sends the INVITE of a new call. For the phone only. */
  async place(headers: readonly SipHeader[]): Promise<void> {
    const placed = this.#dialog.request('INVITE', [sdpHeader, ...headers], this.#sdp(), (early) =>
      this.#readSdp(early.body),
    )
    const { status = 0, body } = await placed.catch(() => ({ status: 408, body: '' }))
    this.#state = status === 200 ? 'up' : 'over'
    if (status === 200) this.#readSdp(body)
    this.#answered.resolve(status)
  }

  /** Answers a request of the other side within the call. For the phone only. */
  take(request: SipMessage, sender: string): void {
    const answer = { status: '200 OK', tag: this.#rung?.tag ?? '' }
    if (request.method === 'INVITE') {
      // The same INVITE once more: the first one is not answered yet.
      if (!headerOf(request, 'to').includes(';tag=')) return
      this.#readSdp(request.body)
      const sdp = this.#sdp(request.body.includes('a=sendonly') ? 'recvonly' : 'sendrecv')
      return answerSip(this.#line, request, sender, { ...answer, sdp })
    }
    answerSip(this.#line, request, sender, answer)
    if (request.method === 'CANCEL') this.answer('487 Request Terminated')
    if (request.method !== 'BYE' && request.method !== 'CANCEL') return
    this.#state = 'over'
    this.#over.resolve(headerOf(request, 'reason'))
  }

  /** Frees the ports of the call. For the phone only. */
  close(): Promise<void> {
    return this.#stream.close()
  }

  async #offer(direction: Direction): Promise<number> {
    const answer = await this.#dialog.request('INVITE', [sdpHeader], this.#sdp(direction))
    this.#readSdp(answer.body)
    return answer.status ?? 0
  }

  async #refer(target: string): Promise<number> {
    const headers: SipHeader[] = [
      ['Refer-To', target],
      ['Referred-By', `<sip:${this.#account}>`],
    ]
    return (await this.#dialog.request('REFER', headers)).status ?? 0
  }

  #readSdp(body: string): void {
    const address = /^c=IN IP4 ([0-9.]+)/m.exec(body)?.[1]
    const port = /^m=audio (\d+)/m.exec(body)?.[1]
    if (address !== undefined && port !== undefined) this.#stream.sendTo(address, Number(port))
  }

  #sdp(direction: Direction = 'sendrecv'): string {
    this.#version += 1
    const ip = this.#line.address.split(':')[0] ?? ''
    return [
      'v=0',
      `o=- 1 ${this.#version} IN IP4 ${ip}`,
      's=-',
      `c=IN IP4 ${ip}`,
      't=0 0',
      `m=audio ${this.#stream.port} RTP/AVP 0 ${digitPayloadType}`,
      'a=rtpmap:0 PCMU/8000',
      `a=rtpmap:${digitPayloadType} telephone-event/8000`,
      `a=${direction}`,
      '',
    ].join('\r\n')
  }
}
