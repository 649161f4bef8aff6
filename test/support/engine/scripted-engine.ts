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

/** What a test answers to a command. */
type Answer = string | null | undefined

/** A door that counts the jobs that came through it. */
export type ScriptedDoor = EngineDoor & { jobs: number }

/** An engine on TCP sockets whose behaviour a test replaces; any number of links, one after another or at once. */
export class ScriptedEngine {
  readonly coreUuid = randomUUID()
  welcome: Welcome = 'accept'
  /** The rows of `show channels as json`, which `uuid_exists` and `uuid_dump` agree with; none until replaced. */
  rows: () => readonly Row[] = () => []
  /** Fields of a channel in `uuid_dump` that do not follow from its row. */
  moreFields: (uuid: string) => Row = () => ({})
  /** The answer to `api`: `undefined` for the engine's own, `null` for none. */
  answer: (command: string) => Answer | Promise<Answer> = () => undefined
  /** Does the line of a job, or of an `api` that is no question, and returns the reply. */
  run: (line: string) => string = () => '-ERR no reply\n'
  /** Called with the line of each job just before {@link onJob}. */
  onGiven: (line: string) => void = () => {}
  /** Decides what happens to a job: it is accepted until replaced. */
  onJob: (job: EngineJob) => void = (job) => job.accept()
  /** Called with each `api` command just after it was answered. */
  onAsked: (command: string) => void = () => {}
  /** Every `api` command in order, those of a login included. */
  readonly asked: string[] = []
  /** Every job in order. */
  readonly jobs: { readonly line: string; readonly id: string }[] = []
  /** Every block of bytes that came, without its blank line. */
  readonly blocks: string[] = []
  /** The replies of jobs that have ended, by their ids. */
  readonly replies = new Map<string, string>()
  /** Passwords that were presented. */
  readonly passwords: string[] = []
  /** The subscription that a listener must have to be counted. */
  wanted: ReadonlySet<string> = new Set()
  /** Called whenever the number of listeners has changed. */
  onListeners: () => void = () => {}
  readonly #names = new Map<ScriptedPeer, Set<string>>()
  readonly #doors: EngineDoor[] = []
  readonly #done: { readonly line: string; readonly id: string | undefined }[] = []
  #listeners = 0
  #sequence = 0

  /** The port of its first door. */
  get port(): number {
    return this.#doors[0]?.port ?? 0
  }

  /** The lines of the jobs. */
  get lines(): readonly string[] {
    return this.jobs.map(({ line }) => line)
  }

  get connections(): number {
    return this.#doors.reduce((all, door) => all + door.connections, 0)
  }

  /** Connections that are open. */
  get links(): number {
    return this.#doors.reduce((all, door) => all + door.links, 0)
  }

  /** How many connections have asked for every event of {@link wanted}. */
  get listeners(): number {
    return this.#listeners
  }

  /** How often the job of an id was done: a line that the engine refused was not. */
  effectsOf(id: string): number {
    return this.#done.filter((each) => each.id === id).length
  }

  /** How many lines that begin so were done. */
  timesDone(start: string): number {
    return this.#done.filter(({ line }) => line.startsWith(start)).length
  }

  /** Ends a job by an event. */
  finishJob(id: string, reply: string): void {
    this.replies.set(id, reply)
    this.emit({ 'Event-Name': 'BACKGROUND_JOB', 'Job-UUID': id }, reply)
  }

  /** Sends an event, with the next number, to every connection that subscribed to its name; returns how many. */
  emit(headers: Readonly<Record<string, string>>, body = ''): number {
    this.#sequence += 1
    const own = { 'Core-UUID': this.coreUuid, 'Event-Sequence': `${this.#sequence}` }
    const event = JSON.stringify({ ...own, ...headers, ...(body === '' ? {} : { _body: body }) })
    const head = `Content-Length: ${Buffer.byteLength(event)}\nContent-Type: text/event-json\n\n`
    return this.tell({ name: headers['Event-Name'] ?? '', frame: Buffer.from(`${head}${event}`) })
  }

  /** Sends the frame of an event to every connection that subscribed to its name; returns how many. */
  tell({ name, frame }: { readonly name: string; readonly frame: Buffer }): number {
    const heard = [...this.#names].filter(([, each]) => each.has(name))
    for (const [peer] of heard) peer.send(frame)
    return heard.length
  }

  /** Sends bytes as they are on every link. */
  send(bytes: string): void {
    for (const peer of this.#names.keys()) peer.send(bytes)
  }

  /** Resets every connection. */
  cut(): void {
    for (const door of this.#doors) door.cut()
  }

  /** Resets the connections that listen to more than the ends of their own jobs. */
  cutEvents(): void {
    for (const [peer, each] of this.#names) if (each.size > 0 && !each.has('BACKGROUND_JOB')) peer.reset()
  }

  /** Opens one more socket, for a connector that must have one of its own; at a free port where none is named. */
  async openDoor(port = 0): Promise<ScriptedDoor> {
    const door: ScriptedDoor = Object.assign(
      await openEngineDoor((peer) => void this.#serve(peer, () => (door.jobs += 1)).catch(() => {}), port),
      { jobs: 0 },
    )
    this.#doors.push(door)
    return door
  }

  /** Ends everything and takes no connection any more. */
  async close(): Promise<void> {
    await Promise.all(this.#doors.map((door) => door.shut()))
  }

  async #serve(peer: ScriptedPeer, onJob: () => void): Promise<void> {
    const subscribed = new Set<string>()
    this.#names.set(peer, subscribed)
    void peer.closed.finally(() => {
      this.#names.delete(peer)
      this.#recount()
    })
    if (this.welcome === 'stay silent') return
    if (this.welcome === 'reject the address') {
      peer.send('Content-Type: text/rude-rejection\nContent-Length: 24\n\nAccess Denied, go away.\n')
      return peer.end()
    }
    peer.send('Content-Type: auth/request\n\n')
    // One command after another, as the engine runs them, until the connection ends.
    for (;;) await this.#obey(peer, subscribed, await peer.next(), onJob)
  }

  async #obey(peer: ScriptedPeer, subscribed: Set<string>, block: string, onJob: () => void): Promise<void> {
    this.blocks.push(block)
    const [, verb = '', argument = '', id = ''] = /^(\S*) ?(.*)(?:\nJob-UUID: (.*))?/.exec(block) ?? []
    if (verb === 'api') return this.#ask(peer, argument)
    if (verb === 'bgapi') {
      if (argument !== 'uptime') onJob()
      return this.#give(peer, id, argument)
    }
    if (verb === 'event') for (const name of argument.split(' ')) subscribed.add(name)
    if (verb === 'nixevent') for (const name of argument.split(' ')) subscribed.delete(name)
    this.#recount()
    if (verb === 'auth') this.passwords.push(argument)
    if (verb === 'auth') peer.reply(this.welcome === 'accept' ? '+OK accepted' : '-ERR invalid')
    else peer.reply('+OK')
    if (verb === 'exit') peer.end()
  }

  async #ask(peer: ScriptedPeer, command: string): Promise<void> {
    this.asked.push(command)
    const given = command === 'global_getvar core_uuid' ? this.coreUuid : this.answer(command)
    // Without a turn of its own where nobody waits: what is answered at once is seen at once.
    const answer = given instanceof Promise ? await given : given
    if (answer === null) return
    peer.result(answer ?? ownAnswer(this, command) ?? this.#run(command))
    this.onAsked(command)
  }

  #give(peer: ScriptedPeer, id: string, line: string): void {
    const accept = () => peer.reply(`+OK Job-UUID: ${id}`, `Job-UUID: ${id}\n`)
    // A question that a link asks when a reply is missing is no order, and a real engine answers it.
    if (line === 'uptime') return accept()
    this.jobs.push({ line, id })
    this.onGiven(line)
    this.onJob({
      id,
      line,
      accept,
      run: () => this.#run(line, id),
      finish: (reply) => this.finishJob(id, reply),
      send: (bytes) => peer.send(bytes),
      cut: () => peer.reset(),
    })
  }

  #run(line: string, id?: string): string {
    const reply = this.run(line)
    if (!reply.startsWith('-')) this.#done.push({ line, id })
    return reply
  }

  #recount(): void {
    const { wanted } = this
    const isWhole = (each: ReadonlySet<string>) => wanted.size > 0 && [...wanted].every((name) => each.has(name))
    const count = [...this.#names.values()].filter((each) => isWhole(each)).length
    if (count === this.#listeners) return
    this.#listeners = count
    this.onListeners()
  }
}

/** Starts an engine; on a free port where none is named. It has no channels and accepts every job. */
export async function startScriptedEngine(port = 0): Promise<ScriptedEngine> {
  const engine = new ScriptedEngine()
  await engine.openDoor(port)
  return engine
}

/** The rows that `show … as json` is answered with. */
export function jsonRows(rows: readonly Row[]): string {
  return rows.length === 0 ? '{"row_count": 0}\n' : JSON.stringify({ row_count: rows.length, rows })
}

/** The engine's own answer to a question, from its list of channels; `undefined` for any other command. */
function ownAnswer({ rows, moreFields }: ScriptedEngine, command: string): string | undefined {
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
