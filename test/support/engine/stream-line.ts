/** Connections of phones of the tests that do not speak UDP: SIP over TLS, and over the WebSocket of a browser. */
import { once } from 'node:events'
import { connect } from 'node:tls'
import type { Page } from 'playwright-core'
import type { SipLine } from './sip-line.ts'
import { type SipMessage, headerOf, readSip } from './sip-message.ts'

/** Takes the requests of the other side. */
type Take = (request: SipMessage, sender: string) => void

/** Tells answers from requests. */
function sorter(take: Take) {
  const waiting = new Map<string, (answer: SipMessage) => void>()
  return {
    taken: (text: string) => {
      const message = readSip(text)
      if (message.status === undefined) take(message, '')
      else waiting.get(`${headerOf(message, 'call-id')} ${headerOf(message, 'cseq')}`)?.(message)
    },
    awaitAnswers: (callId: string, cseq: string, taken: (answer: SipMessage) => void) => {
      waiting.set(`${callId} ${cseq}`, taken)
      return () => void waiting.delete(`${callId} ${cseq}`)
    },
  }
}

/** Takes whole messages off a text that comes in pieces, and returns the rest. */
function takeWhole(text: string, taken: (message: string) => void): string {
  const rest = text.replace(/^(?:\r\n)+/, '')
  const head = rest.indexOf('\r\n\r\n')
  if (head < 0) return rest
  const end = head + 4 + Number(/^(?:content-length|l)\s*:\s*(\d+)/im.exec(rest.slice(0, head))?.[1] ?? 0)
  if (rest.length < end) return rest
  taken(rest.slice(0, end))
  return takeWhole(rest.slice(end), taken)
}

/** Connects to an engine on the loopback address whose certificate an issuer has signed. */
export async function openTlsLine(port: number, user: string, issuer: string, take: Take): Promise<SipLine> {
  const socket = connect({ host: '127.0.0.1', port, ca: issuer, servername: 'localhost' })
  await once(socket, 'secureConnect')
  const { taken, awaitAnswers } = sorter(take)
  let text = ''
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    text = takeWhole(text + bytes.toString('latin1'), taken)
  })
  const address = `127.0.0.1:${socket.localPort}`
  return {
    transport: 'TLS',
    address,
    contact: `<sips:${user}@${address};transport=tls>`,
    send: (message) => void socket.write(message),
    awaitAnswers,
    close: async () => {
      if (socket.destroyed) return
      socket.destroy()
      await once(socket, 'close')
    },
  }
}

/** Connects from a page of a browser, by its own WebSocket. Its address means nothing, as that of any browser. */
export async function openBrowserLine(page: Page, port: number, user: string, take: Take): Promise<SipLine> {
  const { taken, awaitAnswers } = sorter(take)
  await page.exposeFunction('taken', taken)
  await page.evaluate(`new Promise((resolve, reject) => {
    globalThis.line = new WebSocket('wss://127.0.0.1:${port}', 'sip')
    line.onopen = () => resolve()
    line.onerror = () => reject(new Error('no connection'))
    line.onmessage = ({ data }) => taken(data)
  })`)
  const address = 'browser.invalid'
  return {
    transport: 'WSS',
    address,
    contact: `<sip:${user}@${address};transport=ws>`,
    send: (message) => void page.evaluate(`line.send(${JSON.stringify(message)})`).catch(() => {}),
    awaitAnswers,
    close: async () => {},
  }
}
