/** The socket of a phone of the tests that sends media: SIP over UDP on the loopback address. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type SipMessage, headerOf, readSip, writeSip } from './sip-message.ts'

/** A header of a request or an answer. */
export type SipHeader = readonly [name: string, value: string]

/** The header of a body that describes media. */
export const sdpHeader: SipHeader = ['Content-Type', 'application/sdp']

/** A socket that tells answers from requests. */
export interface SipLine {
  /** As `Via` names it. */
  readonly transport: 'UDP' | 'TLS' | 'WSS'
  /** `ip:port` */
  readonly address: string
  readonly contact: string
  send(text: string, to: string): void
  /** Calls a function for each answer to the request with this call id and `CSeq`, until it is told to stop. */
  awaitAnswers(callId: string, cseq: string, take: (answer: SipMessage) => void): () => void
  close(): Promise<void>
}

/** Opens a socket on a port of its own. `sender` of a request is where its answer goes. */
export async function openSipLine(
  ip: string,
  user: string,
  take: (request: SipMessage, sender: string) => void,
): Promise<SipLine> {
  const socket = createSocket('udp4')
  socket.bind(0, ip)
  await once(socket, 'listening')
  const address = `${ip}:${socket.address().port}`
  const waiting = new Map<string, (answer: SipMessage) => void>()
  socket.on('message', (bytes, { address: from, port }) => {
    const message = readSip(bytes.toString('utf8'))
    if (message.status === undefined) take(message, `${from}:${port}`)
    else waiting.get(`${headerOf(message, 'call-id')} ${headerOf(message, 'cseq')}`)?.(message)
  })
  return {
    transport: 'UDP',
    address,
    contact: `<sip:${user}@${address}>`,
    send: (text, to) => {
      const [host = '', port = ''] = to.split(':')
      socket.send(text, Number(port), host)
    },
    awaitAnswers: (callId, cseq, taken) => {
      waiting.set(`${callId} ${cseq}`, taken)
      return () => void waiting.delete(`${callId} ${cseq}`)
    },
    close: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

/** Answers a request. `tag` is the one of this side of the dialog. */
export function answerSip(
  line: SipLine,
  request: SipMessage,
  sender: string,
  answer: { readonly status: string; readonly tag: string; readonly sdp?: string },
): void {
  const to = headerOf(request, 'to')
  const echoed = request.headers.filter(([name]) => ['via', 'from', 'call-id', 'cseq', 'record-route'].includes(name))
  const headers: SipHeader[] = [
    ...echoed,
    ['To', to.includes(';tag=') ? to : `${to};tag=${answer.tag}`],
    ['Contact', line.contact],
    ...(answer.sdp === undefined ? [] : [['Content-Type', 'application/sdp'] as const]),
  ]
  line.send(writeSip(`SIP/2.0 ${answer.status}`, headers, answer.sdp ?? ''), sender)
}
