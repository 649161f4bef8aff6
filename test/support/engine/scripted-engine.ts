import { randomUUID } from 'node:crypto'
import { ofCaller } from './leg-fields.ts'
import { type EngineDoor, type ScriptedPeer, openEngineDoor } from './scripted-server.ts'

/** How an engine that is connected to behaves before it takes commands. */
export type Welcome =
  /** Greets, and takes the password. */
  | 'accept'
  /** Greets, and refuses the password. */
  | 'refuse the password'
  /** Does not let the address in. */
  | 'reject the address'
  /** Accepts the connection and says nothing. */
  | 'stay silent'

/** A job that an engine was given. */
export interface EngineJob {
  /** The `Job-UUID`, which is the command's id. */
  readonly id: string
  readonly line: string
  /** `+OK Job-UUID: …`: the engine has taken it. */
  accept(): void
  /** Does it by {@link ScriptedEngine.run}, counts that, and returns the engine's reply. */
  run(): string
  /** Reports the end of the job by an event. */
  finish(reply: string): void
  /** Sends any bytes instead of a reply. */
  send(bytes: string): void
  /** Resets the connection that it came on. */
  cut(): void
}

/** A row of `show … as json`. */
export type Row = Readonly<Record<string, string>>

/** A door that counts the jobs that came through it. */
export type ScriptedDoor = EngineDoor & { readonly jobs: number }

/** An engine on TCP sockets whose behaviour a test replaces; any number of links, one after another or at once. */
export interface ScriptedEngine {
  /** The port of its first door. */
  readonly port: number
  readonly coreUuid: string
  welcome: Welcome
  /** The rows of `show channels as json`, which `uuid_exists` and `uuid_dump` agree with; none until replaced. */
  rows: () => readonly Row[]
  /** Fields of a channel in `uuid_dump` that do not follow from its row. */
  moreFields: (uuid: string) => Row
  /** The answer to `api`: `undefined` for the engine's own, `null` for none. */
  answer: (command: string) => string | null | undefined | Promise<string | null | undefined>
  /** Does the line of a job, or of an `api` that is no question, and returns the reply. */
  run: (line: string) => string
  /** Called with the line of each job just before {@link onJob}. */
  onGiven: (line: string) => void
  /** Decides what happens to a job: it is accepted until replaced. */
  onJob: (job: EngineJob) => void
  /** Called with each `api` command just after it was answered. */
  onAsked: (command: string) => void
  /** Every `api` command in order, those of a login included. */
  readonly asked: string[]
  /** Every job in order. */
  readonly jobs: { readonly line: string; readonly id: string }[]
  /** Their lines. */
  readonly lines: readonly string[]
  /** Every block of bytes that came, without its blank line. */
  readonly blocks: string[]
  /** The replies of jobs that have ended, by their ids. */
  readonly replies: Map<string, string>
  /** Passwords that were presented. */
  readonly passwords: string[]
  readonly connections: number
  /** Connections that are open. */
  readonly links: number
  /** The subscription that a listener must have to be counted. */
  wanted: ReadonlySet<string>
  /** How many connections have asked for every event of {@link wanted}. */
  readonly listeners: number
  /** Called whenever the number of listeners has changed. */
  onListeners: () => void
  /** How often the job of an id was done: a line that the engine refused was not. */
  effectsOf(id: string): number
  /** How many lines that begin so were done. */
  timesDone(start: string): number
  /** Ends a job by an event. */
  finishJob(id: string, reply: string): void
  /** Sends an event, with the next number, to every connection that subscribed to its name; returns how many. */
  emit(headers: Readonly<Record<string, string>>, body?: string): number
  /** Sends the frame of an event to every connection that subscribed to its name; returns how many. */
  tell(event: { readonly name: string; readonly frame: Buffer }): number
  /** Sends bytes as they are on every link. */
  send(bytes: string): void
  /** Resets every connection. */
  cut(): void
  /** Resets the connections that listen to more than the ends of their own jobs. */
  cutEvents(): void
  /** Opens one more socket, for a connector that must have one of its own. */
  openDoor(): Promise<ScriptedDoor>
  /** Ends everything and takes no connection any more. */
  close(): Promise<void>
}

/** The rows that `show … as json` is answered with. */
export function jsonRows(rows: readonly Row[]): string {
  return rows.length === 0 ? '{"row_count": 0}\n' : JSON.stringify({ row_count: rows.length, rows })
}

/** Starts an engine; on a free port where none is named. It has no channels and accepts every job. */
export async function startScriptedEngine(port = 0): Promise<ScriptedEngine> {
  const names = new Map<ScriptedPeer, Set<string>>()
  const doors: EngineDoor[] = []
  const done: { readonly line: string; readonly id: string | undefined }[] = []
  let [listeners, sequence] = [0, 0]
  const sum = (of: 'connections' | 'links') => doors.reduce((all, door) => all + door[of], 0)

  const engine: Omit<ScriptedEngine, 'port'> = {
    coreUuid: randomUUID(),
    welcome: 'accept',
    rows: () => [],
    moreFields: () => ({}),
    answer: () => undefined,
    run: () => '-ERR no reply\n',
    onGiven: () => {},
    onJob: (job) => job.accept(),
    onAsked: () => {},
    asked: [],
    jobs: [],
    get lines() {
      return engine.jobs.map(({ line }) => line)
    },
    blocks: [],
    replies: new Map(),
    passwords: [],
    get connections() {
      return sum('connections')
    },
    get links() {
      return sum('links')
    },
    wanted: new Set(),
    get listeners() {
      return listeners
    },
    onListeners: () => {},
    effectsOf: (id) => done.filter((each) => each.id === id).length,
    timesDone: (start) => done.filter(({ line }) => line.startsWith(start)).length,
    finishJob: (id, reply) => {
      engine.replies.set(id, reply)
      engine.emit({ 'Event-Name': 'BACKGROUND_JOB', 'Job-UUID': id }, reply)
    },
    emit: (headers, body = '') => {
      sequence += 1
      const own = { 'Core-UUID': engine.coreUuid, 'Event-Sequence': `${sequence}` }
      const event = JSON.stringify({ ...own, ...headers, ...(body === '' ? {} : { _body: body }) })
      const head = `Content-Length: ${Buffer.byteLength(event)}\nContent-Type: text/event-json\n\n`
      return engine.tell({ name: headers['Event-Name'] ?? '', frame: Buffer.from(`${head}${event}`) })
    },
    tell: ({ name, frame }) => {
      const heard = [...names].filter(([, each]) => each.has(name))
      for (const [peer] of heard) peer.send(frame)
      return heard.length
    },
    send: (bytes) => {
      for (const peer of names.keys()) peer.send(bytes)
    },
    cut: () => {
      for (const door of doors) door.cut()
    },
    cutEvents: () => {
      for (const [peer, each] of names) if (each.size > 0 && !each.has('BACKGROUND_JOB')) peer.reset()
    },
    openDoor: () => openDoor(),
    close: async () => void (await Promise.all(doors.map((door) => door.shut()))),
  }

  const recount = () => {
    const { wanted } = engine
    const count = [...names.values()].filter(
      (each) => wanted.size > 0 && [...wanted].every((name) => each.has(name)),
    ).length
    if (count === listeners) return
    listeners = count
    engine.onListeners()
  }
  const run = (line: string, id?: string): string => {
    const reply = engine.run(line)
    if (!reply.startsWith('-')) done.push({ line, id })
    return reply
  }
  const ask = async (peer: ScriptedPeer, command: string) => {
    engine.asked.push(command)
    const given = command === 'global_getvar core_uuid' ? engine.coreUuid : engine.answer(command)
    // Without a turn of its own where nobody waits: what is answered at once is seen at once.
    const answer = given instanceof Promise ? await given : given
    if (answer === null) return
    peer.result(answer ?? ownAnswer(engine, command) ?? run(command))
    engine.onAsked(command)
  }
  const give = (peer: ScriptedPeer, id: string, line: string) => {
    const accept = () => peer.reply(`+OK Job-UUID: ${id}`, `Job-UUID: ${id}\n`)
    // A question that a link asks when a reply is missing is no order, and a real engine answers it.
    if (line === 'uptime') return accept()
    engine.jobs.push({ line, id })
    engine.onGiven(line)
    const finish = (reply: string) => engine.finishJob(id, reply)
    engine.onJob({ id, line, accept, finish, run: () => run(line, id), send: peer.send, cut: peer.reset })
  }
  const obey = async (peer: ScriptedPeer, subscribed: Set<string>, block: string, onJob: () => void) => {
    engine.blocks.push(block)
    const [, verb = '', argument = '', id = ''] = /^(\S*) ?(.*)(?:\nJob-UUID: (.*))?/.exec(block) ?? []
    if (verb === 'api') return ask(peer, argument)
    if (verb === 'bgapi') {
      if (argument !== 'uptime') onJob()
      return give(peer, id, argument)
    }
    if (verb === 'event') for (const name of argument.split(' ')) subscribed.add(name)
    if (verb === 'nixevent') for (const name of argument.split(' ')) subscribed.delete(name)
    recount()
    if (verb === 'auth') engine.passwords.push(argument)
    peer.reply(verb !== 'auth' ? '+OK' : engine.welcome === 'accept' ? '+OK accepted' : '-ERR invalid')
    if (verb === 'exit') peer.end()
  }
  const serve = async (peer: ScriptedPeer, onJob: () => void) => {
    const subscribed = new Set<string>()
    names.set(peer, subscribed)
    void peer.closed.then(() => {
      names.delete(peer)
      recount()
    })
    if (engine.welcome === 'stay silent') return
    if (engine.welcome === 'reject the address') {
      peer.send('Content-Type: text/rude-rejection\nContent-Length: 24\n\nAccess Denied, go away.\n')
      return peer.end()
    }
    peer.send('Content-Type: auth/request\n\n')
    // One command after another, as the engine runs them, until the connection ends.
    for (;;) await obey(peer, subscribed, await peer.next(), onJob)
  }
  async function openDoor(at = 0): Promise<ScriptedDoor> {
    let jobs = 0
    const door = await openEngineDoor((peer) => void serve(peer, () => (jobs += 1)).catch(() => {}), at)
    doors.push(door)
    return Object.defineProperty(door as ScriptedDoor, 'jobs', { get: () => jobs })
  }

  return Object.defineProperty(engine as ScriptedEngine, 'port', { value: (await openDoor(port)).port })
}

/** The engine's own answer to a question, from its list of channels; `undefined` for any other command. */
function ownAnswer({ rows, moreFields }: Omit<ScriptedEngine, 'port'>, command: string): string | undefined {
  if (command === 'show channels as json') return jsonRows(rows())
  if (command.startsWith('show ')) return jsonRows([])
  const [, verb, asked] = /^uuid_(exists|dump) (\S+)/.exec(command) ?? []
  if (verb === undefined) return undefined
  const row = rows().find(({ uuid }) => uuid === asked)
  if (verb === 'exists') return `${row !== undefined}`
  return row === undefined ? '-ERR No such channel!\n' : JSON.stringify({ ...dumpOf(row), ...moreFields(asked ?? '') })
}

/** The engine's report of one channel, under the names that events have. */
function dumpOf({ uuid = '', presence_id = '', context = '', callstate = '' }: Row): Row {
  return {
    'Unique-ID': uuid,
    variable_uuid: uuid,
    ...(presence_id === '' ? { 'Call-Direction': 'inbound' } : ofCaller(presence_id)),
    'Caller-Context': context,
    'Channel-Call-State': callstate,
  }
}
