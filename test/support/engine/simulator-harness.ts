import { mkdtempSync, rmSync } from 'node:fs'
import { type Socket, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRung } from '../../../core/accounts/dial-string.ts'
import {
  type PhoneBehaviour,
  type SimulatedEngine,
  type SimulatedEngineOptions,
  type XmlLookup,
  startSimulatedEngine,
} from '@callplane/simulated-freeswitch'
import { type ManualTime, manualTime, settle } from '../processes/manual-time.ts'

/** One frame as it came from the socket, one character for each byte. */
export interface WireFrame {
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** A simulated engine with the users of the lab that the recordings were made in, and its time in hand. */
export interface SimulatorHarness {
  readonly engine: SimulatedEngine
  readonly time: ManualTime
  readonly recordingsDir: string
  /** Opens a connection that has seen nothing yet, not even the greeting. */
  connect(): WireClient
  /** Opens a connection and logs in. */
  login(): Promise<WireClient>
  close(): Promise<void>
}

const names: Readonly<Record<string, string>> = {
  '1000@tenant1.example.com': 'Alice Adams',
  '1001@tenant1.example.com': 'Bob Brown',
  '1002@tenant1.example.com': 'Zoë Müller',
  '1003@tenant1.example.com': `Dan "D" O'Neil`,
  '1004@tenant1.example.com': '50% Off & Co',
  '1005@tenant1.example.com': 'Eve <Ext>',
  '1000@tenant2.example.com': 'Other Tenant Alice',
}

/** The directory of the harness: what the recorded engine had in its own files. */
export const recordedDirectory: XmlLookup = async ({ user = '', domain = '' }) => {
  const name = names[`${user}@${domain}`]
  if (name === undefined) {
    return '<document type="freeswitch/xml"><section name="result"><result status="not found"/></section></document>'
  }
  const own = { user_context: domain, accountcode: user, effective_caller_id_name: name }
  return `<document type="freeswitch/xml"><section name="directory"><domain name="${domain}">
    <variables>${variables({ record_stereo: 'true', tenant_domain: domain })}</variables>
    <groups><group name="default"><users><user id="${user}"><params/>
    <variables>${variables({ ...own, effective_caller_id_number: user, callgroup: 'sales' })}</variables>
    </user></users></group></groups></domain></section></document>`
}

function variables(values: Readonly<Record<string, string>>): string {
  const escaped = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
  return Object.entries(values)
    .map(([name, value]) => `<variable name="${name}" value="${escaped(value)}"/>`)
    .join('')
}

/** A phone that is busy. */
export const busy = refusal('486', 'Busy Here', 'USER_BUSY')

/** A phone whose user declines. */
export const declines = refusal('603', 'Decline', 'CALL_REJECTED')

function refusal(status: string, phrase: string, cause: string): PhoneBehaviour {
  return { kind: 'refuse', status, phrase, cause }
}

/** The phones of the harness as they behave in `control/originate-errors`: 1005 is not registered. */
export const troubledPhones = (login: string): PhoneBehaviour => {
  if (login === '1001') return busy
  if (login === '1002') return declines
  if (login === '1003') return { kind: 'ring' }
  if (login === '1004') return refusal('408', 'Request Timeout', 'NO_USER_RESPONSE')
  return { kind: 'answer', afterMs: 300 }
}

/** Starts a harness; its phones answer after 300 ms as the recorded ones do, but 1003, which only rings. */
export async function simulatorHarness(options: Partial<SimulatedEngineOptions> = {}): Promise<SimulatorHarness> {
  const time = manualTime(Date.UTC(2026, 10, 20, 23, 30))
  const recordingsDir = mkdtempSync(join(tmpdir(), 'engine-lab-'))
  const engine = await startSimulatedEngine({
    port: 0,
    password: 'ClueCon',
    directory: recordedDirectory,
    seed: 7,
    timers: time.timers,
    recordingsDir,
    ringsContact: isRung,
    phoneBehaviour: (login) => (login === '1003' ? { kind: 'ring' } : { kind: 'answer', afterMs: 300 }),
    ...options,
  }).catch((error: unknown) => {
    rmSync(recordingsDir, { recursive: true })
    throw error
  })
  for (const login of ['1000', '1001', '1002', '1003', '1004']) {
    await engine.registerPhone(login, 'tenant1.example.com')
  }
  await time.advance(1_000)
  const clients: WireClient[] = []
  const open = () => {
    const client = new WireClient(connect(engine.port, '127.0.0.1'), time)
    clients.push(client)
    return client
  }
  return {
    engine,
    time,
    recordingsDir,
    connect: open,
    login: async () => {
      const client = open()
      client.send('auth ClueCon\n\n')
      await client.take(2)
      return client
    },
    close: async () => {
      for (const client of clients) client.destroy()
      await engine.close()
      rmSync(recordingsDir, { recursive: true, force: true })
    },
  }
}

/** A client that knows frames and nothing else of the protocol: it must not share the product's own reading of it. */
export class WireClient {
  readonly #socket: Socket
  readonly #time: ManualTime
  readonly #frames: WireFrame[] = []
  #buffer = ''
  closed = false

  constructor(socket: Socket, time: ManualTime) {
    this.#socket = socket
    this.#time = time
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => this.#receive(bytes.toString('latin1')))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.closed = true
    })
  }

  /** Sends byte text. */
  send(bytes: string): void {
    this.#socket.write(bytes, 'latin1')
  }

  /** Ends the sending side only. */
  end(): void {
    this.#socket.end()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** Stops reading, as a client does that hangs. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /**
   * The next frames, moving the time on in steps of 20 ms as long as they do not come. Gives fewer when the
   * connection ends, or when two minutes of the engine's time bring nothing more.
   */
  async take(count: number): Promise<WireFrame[]> {
    for (let steps = 0; this.#frames.length < count && !this.closed && steps < 6_000; steps++) {
      await settle()
      if (this.#frames.length < count && steps > 3) await this.#time.advance(20)
    }
    return this.#frames.splice(0, count)
  }

  /** Every frame that is here once the engine has nothing more to do at this moment. */
  async drain(): Promise<WireFrame[]> {
    for (let turn = 0; turn < 10; turn++) await settle()
    return this.#frames.splice(0)
  }

  /** The bytes that came and are no whole frame. */
  get tail(): string {
    return this.#buffer
  }

  /** Puts frames back, to be taken again. */
  keep(frames: readonly WireFrame[]): void {
    this.#frames.unshift(...frames)
  }

  /** Sends a command and gives its reply, which must be the next frame. */
  async command(line: string): Promise<WireFrame> {
    this.send(`${line}\n\n`)
    const [reply] = await this.take(1)
    if (reply === undefined) throw new Error(`no reply to ${line}`)
    return reply
  }

  /** Waits until the engine has closed the connection. */
  async untilClosed(): Promise<void> {
    for (let turn = 0; !this.closed && turn < 6_000; turn++) await settle()
    if (!this.closed) throw new Error('the connection was not closed')
  }

  #receive(bytes: string): void {
    this.#buffer += bytes
    for (;;) {
      const end = this.#buffer.indexOf('\n\n')
      if (end < 0) return
      const headers = headersOf(this.#buffer.slice(0, end))
      const length = Number(headers.get('Content-Length') ?? '0')
      if (this.#buffer.length < end + 2 + length) return
      this.#frames.push({ headers, body: this.#buffer.slice(end + 2, end + 2 + length) })
      this.#buffer = this.#buffer.slice(end + 2 + length)
    }
  }
}

/** A block of `name: value` lines; of a name that repeats, the first value. */
export function headersOf(block: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon)
    if (colon > 0 && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim())
  }
  return headers
}
