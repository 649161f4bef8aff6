import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type Socket, createServer } from 'node:net'

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

/** An engine on a TCP socket, whose answers a test gives; any number of links, one after another or at once. */
export interface AnsweringEngine {
  readonly port: number
  readonly coreUuid: string
  welcome: Welcome
  /** The answer to `api`; `undefined` leaves it without one. */
  answer: (command: string) => string | undefined | Promise<string | undefined>
  /** How `bgapi` is taken: the reply to it, or `undefined` for none. */
  accept: (line: string, id: string) => string | undefined
  /** Every `api` command in order, those of a login included. */
  readonly asked: string[]
  /** Every `bgapi` in order. */
  readonly jobs: { readonly line: string; readonly id: string }[]
  /** The answers to jobs, by their ids. */
  readonly replies: Map<string, string>
  /** Passwords that were presented. */
  readonly passwords: string[]
  readonly connections: number
  /** Connections that are open. */
  readonly open: number
  /** Ends a job by an event on every link that listens. */
  finishJob(id: string, reply: string): void
  /** Sends an event to every link that is logged in. */
  emit(headers: Readonly<Record<string, string>>, body?: string): void
  /** Sends bytes as they are on every link. */
  send(bytes: string): void
  /** Resets every connection. */
  cut(): void
  /** Resets the connections that listen to more than the ends of their own jobs. */
  cutEvents(): void
  /** Ends everything and takes no connection any more. */
  close(): Promise<void>
}

/** The rows that `show … as json` is answered with. */
export function jsonRows(rows: readonly Readonly<Record<string, string>>[]): string {
  return rows.length === 0 ? '{"row_count": 0}\n' : JSON.stringify({ row_count: rows.length, rows })
}

/** Starts an engine; on a free port where none is named. It has no channels and takes every job. */
export async function startAnsweringEngine(port = 0): Promise<AnsweringEngine> {
  const sockets = new Set<Socket>()
  const listening = new Map<Socket, string>()
  let connections = 0
  let sequence = 0
  let listensOn = port
  const frame = (type: string, body: string) =>
    `Content-Length: ${Buffer.byteLength(body)}\nContent-Type: ${type}\n\n${body}`

  const engine: AnsweringEngine = {
    get port() {
      return listensOn
    },
    coreUuid: randomUUID(),
    welcome: 'accept',
    answer: (command) => {
      if (command.startsWith('uuid_exists ')) return 'false'
      return command.startsWith('show ') ? jsonRows([]) : '-ERR no reply\n'
    },
    accept: (_line, id) => `+OK Job-UUID: ${id}`,
    asked: [],
    jobs: [],
    replies: new Map(),
    passwords: [],
    get connections() {
      return connections
    },
    get open() {
      return sockets.size
    },
    finishJob: (id, reply) => {
      engine.replies.set(id, reply)
      engine.emit({ 'Event-Name': 'BACKGROUND_JOB', 'Job-UUID': id }, reply)
    },
    emit: (headers, body = '') => {
      sequence += 1
      const own = { 'Core-UUID': engine.coreUuid, 'Event-Sequence': `${sequence}` }
      const event = JSON.stringify({ ...own, ...headers, ...(body === '' ? {} : { _body: body }) })
      for (const socket of listening.keys()) socket.write(frame('text/event-json', event))
    },
    send: (bytes) => {
      for (const socket of sockets) socket.write(bytes)
    },
    cut: () => {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    cutEvents: () => {
      for (const [socket, words] of listening) if (!words.endsWith(' BACKGROUND_JOB')) socket.resetAndDestroy()
    },
    close: async () => {
      engine.cut()
      if (!server.listening) return
      server.close()
      await once(server, 'close')
    },
  }

  const run = async (socket: Socket, text: string): Promise<void> => {
    const [line = '', ...headers] = text.split('\n')
    const [, verb = '', argument = ''] = /^(\S*) ?(.*)$/s.exec(line) ?? []
    const reply = (words: string, more = '') => {
      socket.write(`Content-Type: command/reply\nReply-Text: ${words}\n${more}\n`)
    }
    if (verb === 'auth') {
      engine.passwords.push(argument)
      return reply(engine.welcome === 'refuse the password' ? '-ERR invalid' : '+OK accepted')
    }
    if (verb === 'bgapi') {
      const id = /^Job-UUID: (.*)$/m.exec(headers.join('\n'))?.[1] ?? ''
      engine.jobs.push({ line: argument, id })
      const taken = engine.accept(argument, id)
      return taken === undefined ? undefined : reply(taken, `Job-UUID: ${id}\n`)
    }
    if (verb !== 'api') {
      if (verb === 'event') listening.set(socket, argument)
      return reply('+OK')
    }
    engine.asked.push(argument)
    const answer = argument === 'global_getvar core_uuid' ? engine.coreUuid : await engine.answer(argument)
    if (answer !== undefined && !socket.destroyed) socket.write(frame('api/response', answer))
  }

  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      listening.delete(socket)
    })
    if (engine.welcome === 'stay silent') return
    if (engine.welcome === 'reject the address') {
      return socket.end('Content-Type: text/rude-rejection\nContent-Length: 24\n\nAccess Denied, go away.\n')
    }
    let rest = ''
    // One command after another, as the engine runs them.
    let running = Promise.resolve()
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => {
      const parts = `${rest}${text}`.split('\n\n')
      rest = parts.pop() ?? ''
      for (const part of parts) running = running.then(() => run(socket, part))
    })
    socket.write('Content-Type: auth/request\n\n')
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address === 'object' && address !== null) listensOn = address.port
  return engine
}
