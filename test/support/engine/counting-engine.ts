import { once } from 'node:events'
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net'
import { scriptedCoreUuid } from './scripted-esl-server.ts'
import { ofCaller } from './leg-fields.ts'

/** A job that the engine was given. */
export interface EngineJob {
  /** The `Job-UUID`, which is the command's id. */
  readonly id: string
  readonly line: string
  /** `+OK Job-UUID: …`: the engine has taken it. */
  accept(): void
  /** Does it, counts that, and answers what the engine says to it. */
  run(): string
  /** Reports how it ended, by its event, on the connection that it came on. */
  finish(reply: string): void
  /** Sends any bytes instead of an answer. */
  send(bytes: string): void
  /** Resets the connection that it came on. */
  cut(): void
}

/** A channel of the engine. */
interface EngineChannel {
  readonly domain: string
  readonly presenceId: string
  isHeld: boolean
}

/** A socket that an engine is reached by; each connector of a test has one of its own. */
export interface EngineDoor {
  readonly port: number
  /** Connections through it that are open. */
  readonly links: number
  /** Jobs that came through it. */
  readonly jobs: number
  /** Resets every connection through it, and takes no new one. */
  shut(): Promise<void>
  /** Takes connections again, at the same port; changes nothing while it does. */
  reopen(): Promise<void>
  /** Resets every connection through it; new ones are taken. */
  cut(): void
}

/**
 * An engine on real sockets that counts what it does: calls that it places, holds and ends as the recorded engines
 * answer them, with the oddities of their answers. What it does with a job can be replaced.
 */
export interface CountingEngine {
  /** A new socket of the engine. */
  open(): Promise<EngineDoor>
  readonly channels: Map<string, EngineChannel>
  /** How often the job of an id was done: commands that the engine refused were not. */
  effectsOf(id: string): number
  /** How often a channel was hung up. */
  killsOf(uuid: string): number
  /** How often the registrations of an address were dropped at a SIP profile. */
  dropsOf(address: string): number
  /** Every job's line, in order. */
  readonly lines: string[]
  /** Every block of bytes that came, without its blank line, one character for each byte. */
  readonly blocks: string[]
  /** Called with each job's line just before {@link onJob}. */
  onGiven: (line: string) => void
  /** Decides what happens to a job: it is accepted, done, and its end is reported, until replaced. */
  onJob: (job: EngineJob) => void
  /** Called with each `api` command just after it was answered. */
  onAsked: (command: string) => void
  /** The answer to an `api` command in place of the engine's own, where this is text. */
  answer: (command: string) => string | undefined
  /** Sends an event, with the next number, to every client that subscribed to its name; returns how many there were. */
  tell(headers: Readonly<Record<string, string>> & { readonly 'Event-Name': string }): number
  close(): Promise<void>
}

const dialString = /^originate \{(.*)\}user\/(\S+)@(\S+) (\S+)/

/** Starts an engine without channels and without doors. */
export function countingEngine(): CountingEngine {
  const doors: EngineDoor[] = []
  const conversations = new Set<Conversation>()
  let sequence = 0
  const effects = new Map<string, number>()
  const kills = new Map<string, number>()
  const drops = new Map<string, number>()
  const done = (counts: Map<string, number>, id: string) => void counts.set(id, (counts.get(id) ?? 0) + 1)

  const engine: CountingEngine = {
    open: async () => {
      const door = await openDoor((socket, onJob) => {
        const conversation = new Conversation(socket, engine, run, onJob)
        conversations.add(conversation)
        socket.on('close', () => conversations.delete(conversation))
      })
      doors.push(door)
      return door
    },
    channels: new Map(),
    effectsOf: (id) => effects.get(id) ?? 0,
    killsOf: (uuid) => kills.get(uuid) ?? 0,
    dropsOf: (address) => drops.get(address) ?? 0,
    lines: [],
    blocks: [],
    onGiven: () => {},
    onJob: (job) => {
      job.accept()
      job.finish(job.run())
    },
    onAsked: () => {},
    answer: () => undefined,
    tell: (headers) => {
      sequence += 1
      const numbered = { 'Event-Sequence': `${sequence}`, ...headers }
      return [...conversations].filter((conversation) => conversation.tell(numbered)).length
    },
    close: async () => void (await Promise.all(doors.map((door) => door.shut()))),
  }

  function run(line: string, id: string | undefined): string {
    const reply = runLine(engine.channels, line)
    if (reply.startsWith('-')) return reply
    if (id !== undefined) done(effects, id)
    if (line.startsWith('uuid_kill ')) done(kills, line.split(' ')[1] ?? '')
    if (line.startsWith('sofia profile ')) done(drops, line.split(' ')[4] ?? '')
    return reply
  }
  return engine
}

/** The list of SIP profiles of an engine that has one. */
const sipProfiles = [
  `${'Name'.padStart(25)}\t   Type\t  ${'Data'.padStart(40)}\tState`,
  `${'internal'.padStart(25)}\tprofile\t  ${'sip:mod_sofia@127.0.0.1:5060'.padStart(40)}\tRUNNING (0)`,
  '1 profile 0 aliases\n',
].join('\n')

/** An engine's acts and answers, as `control/uuid-commands` and `control/originate-*` were recorded. */
function runLine(channels: CountingEngine['channels'], line: string): string {
  const [verb = '', first = '', second = ''] = line.split(' ')
  const dialled = dialString.exec(line)
  if (dialled !== null) return originate(channels, dialled)
  if (verb === 'originate') return '-USAGE: <call url> <exten>\n'
  if (verb === 'uuid_kill') return channels.delete(first) ? '+OK\n' : '-ERR No such channel!\n'
  if (line === 'sofia status') return sipProfiles
  if (verb === 'uuid_hold') return hold(channels.get(first === 'off' ? second : first), first !== 'off')
  return '+OK\n'
}

function originate(channels: CountingEngine['channels'], [, list = '', login, domain = '']: RegExpExecArray): string {
  const chosen = /(?:^|,)origination_uuid=([^,]*)/.exec(list)?.[1] ?? ''
  const uuid = channels.has(chosen) ? crypto.randomUUID() : chosen
  channels.set(uuid, { domain, presenceId: `${login}@${domain}`, isHeld: false })
  return `+OK ${uuid}\n`
}

function hold(channel: EngineChannel | undefined, isWanted: boolean): string {
  if (channel === undefined) return '+OK Success\n'
  if (channel.isHeld === isWanted) return '-ERR Operation failed\n'
  channel.isHeld = isWanted
  return '+OK Success\n'
}

async function openDoor(talk: (socket: Socket, onJob: () => void) => void): Promise<EngineDoor> {
  let jobs = 0
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.setNoDelay(true)
    talk(socket, () => (jobs += 1))
  })
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    port,
    get links() {
      return sockets.size
    },
    get jobs() {
      return jobs
    },
    cut,
    reopen: async () => {
      if (!server.listening) await listen(port)
    },
    shut: async () => {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
  }
}

/** One connection of a client. */
class Conversation {
  readonly #socket: Socket
  readonly #engine: CountingEngine
  readonly #run: (line: string, id?: string) => string
  readonly #onJob: () => void
  readonly #names = new Set<string>()
  #rest = ''

  constructor(socket: Socket, engine: CountingEngine, run: (line: string, id?: string) => string, onJob: () => void) {
    this.#onJob = onJob
    this.#socket = socket
    this.#engine = engine
    this.#run = run
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => this.#read(text))
    this.#send('Content-Type: auth/request\n\n')
  }

  /** Sends an event that was asked for; answers whether it was. */
  tell(headers: Readonly<Record<string, string>>): boolean {
    const isWanted = this.#names.has(headers['Event-Name'] ?? '')
    if (isWanted) this.#event(headers)
    return isWanted
  }

  #read(text: string): void {
    const blocks = `${this.#rest}${text}`.split('\n\n')
    this.#rest = blocks.pop() ?? ''
    for (const block of blocks) {
      this.#engine.blocks.push(block)
      this.#obey(block)
    }
  }

  #obey(block: string): void {
    const [first = '', ...headers] = block.split('\n')
    const [verb = ''] = first.split(' ', 1)
    const argument = first.slice(verb.length + 1)
    if (verb === 'api') return this.#api(argument)
    if (verb === 'bgapi') {
      return this.#bgapi(argument, headers.find((header) => header.startsWith('Job-UUID: '))?.slice(10) ?? '')
    }
    if (verb === 'event') for (const name of argument.split(' ')) this.#names.add(name)
    if (verb === 'nixevent') for (const name of argument.split(' ')) this.#names.delete(name)
    this.#reply(verb === 'auth' ? '+OK accepted' : '+OK')
    if (verb === 'exit') this.#socket.end()
  }

  #api(command: string): void {
    const body = this.#engine.answer(command) ?? this.#answer(command)
    this.#send(`Content-Type: api/response\nContent-Length: ${Buffer.byteLength(body)}\n\n${body}`)
    this.#engine.onAsked(command)
  }

  #answer(command: string): string {
    const { channels } = this.#engine
    if (command === 'global_getvar core_uuid') return scriptedCoreUuid
    if (command === 'show channels as json') {
      const rows = [...channels].map(([uuid, { presenceId, domain }]) => ({
        uuid,
        presence_id: presenceId,
        context: domain,
      }))
      return rows.length === 0 ? '{"row_count": 0}\n' : JSON.stringify({ row_count: rows.length, rows })
    }
    if (command.startsWith('show ')) return '{"row_count": 0}\n'
    if (command.startsWith('uuid_exists ')) return `${channels.has(command.split(' ')[1] ?? '')}`
    if (command.startsWith('uuid_dump ')) return dump(channels, command.split(' ')[1] ?? '')
    return this.#run(command)
  }

  #bgapi(line: string, id: string): void {
    // A question that a link asks when a reply is missing is no order, and a real engine answers it.
    if (line === 'uptime') return this.#reply(`+OK Job-UUID: ${id}`, `Job-UUID: ${id}\n`)
    this.#onJob()
    this.#engine.lines.push(line)
    this.#engine.onGiven(line)
    const socket = this.#socket
    this.#engine.onJob({
      id,
      line,
      accept: () => this.#reply(`+OK Job-UUID: ${id}`, `Job-UUID: ${id}\n`),
      run: () => this.#run(line, id),
      finish: (reply) => this.#event({ 'Event-Name': 'BACKGROUND_JOB', 'Job-UUID': id, _body: reply }),
      send: (bytes) => this.#send(bytes),
      cut: () => void socket.resetAndDestroy(),
    })
  }

  #event(headers: Readonly<Record<string, string>>): void {
    const body = JSON.stringify({ ...headers, 'Core-UUID': scriptedCoreUuid })
    this.#send(`Content-Length: ${Buffer.byteLength(body)}\nContent-Type: text/event-json\n\n${body}`)
  }

  #reply(text: string, headers = ''): void {
    this.#send(`Content-Type: command/reply\nReply-Text: ${text}\n${headers}\n`)
  }

  #send(bytes: string): void {
    if (!this.#socket.destroyed) this.#socket.write(bytes)
  }
}

function dump(channels: CountingEngine['channels'], uuid: string): string {
  const channel = channels.get(uuid)
  if (channel === undefined) return '-ERR No such channel!\n'
  return JSON.stringify({
    'Unique-ID': uuid,
    ...ofCaller(channel.presenceId),
    'Channel-Call-State': channel.isHeld ? 'HELD' : 'ACTIVE',
    variable_uuid: uuid,
    variable_domain_name: channel.domain,
  })
}
