import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type Socket, createServer } from 'node:net'
import { jsonRows } from './answering-engine.ts'
import { ofCaller } from './leg-fields.ts'

/** An engine on a TCP socket that sends each listener the events that it subscribed to, and none from before it did. */
export interface TellingEngine {
  readonly port: number
  readonly coreUuid: string
  /** How many listeners have asked for every event of {@link TellingEngine.wanted}. */
  readonly listeners: number
  /** The subscription that a listener must have to be counted. */
  wanted: ReadonlySet<string>
  /** Called whenever the number of listeners has changed. */
  onListeners: (count: number) => void
  /** The rows of `show channels as json`. */
  channels: () => readonly Readonly<Record<string, string>>[]
  /** Writes an event to everybody who asked for it; answers how many that were. */
  tell(event: { readonly name: string; readonly frame: Buffer }): number
  close(): Promise<void>
}

/** Starts an engine that takes every password, and has no channels and no phones. */
export async function startTellingEngine(): Promise<TellingEngine> {
  const asked = new Map<Socket, Set<string>>()
  let count = 0
  const engine: TellingEngine = {
    port: 0,
    coreUuid: randomUUID(),
    get listeners() {
      return count
    },
    wanted: new Set(),
    onListeners: () => {},
    channels: () => [],
    tell: ({ name, frame }) => {
      let sent = 0
      for (const [socket, names] of asked) {
        if (!names.has(name)) continue
        socket.write(frame)
        sent += 1
      }
      return sent
    },
    close: async () => {
      for (const socket of asked.keys()) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }

  const isServed = (names: ReadonlySet<string>) => {
    return engine.wanted.size > 0 && [...engine.wanted].every((name) => names.has(name))
  }
  const recount = () => {
    const now = [...asked.values()].filter((names) => isServed(names)).length
    if (now === count) return
    count = now
    engine.onListeners(count)
  }

  const answer = (command: string): string => {
    if (command === 'global_getvar core_uuid') return engine.coreUuid
    if (command === 'show channels as json') return jsonRows(engine.channels())
    const asked = /^uuid_exists (\S+)$/.exec(command)?.[1]
    if (asked !== undefined) return `${engine.channels().some(({ uuid }) => uuid === asked)}`
    const dumped = /^uuid_dump (\S+) json$/.exec(command)?.[1]
    if (dumped !== undefined) {
      const row = engine.channels().find(({ uuid }) => uuid === dumped)
      return row === undefined ? '-ERR No such channel!\n' : dumpOf(row)
    }
    return command.startsWith('show ') ? jsonRows([]) : '-ERR no reply\n'
  }

  const obey = (socket: Socket, names: Set<string>, block: string) => {
    const [verb = '', ...words] = block.split('\n', 1)[0]?.split(' ') ?? []
    if (verb === 'api') {
      const body = answer(words.join(' '))
      socket.write(`Content-Type: api/response\nContent-Length: ${Buffer.byteLength(body)}\n\n${body}`)
      return
    }
    socket.write('Content-Type: command/reply\nReply-Text: +OK\n\n')
    const plain = words.slice(0, Math.max(0, words.indexOf('CUSTOM')) || undefined)
    if (verb === 'event') for (const name of plain.slice(1)) names.add(name)
    if (verb === 'nixevent') for (const name of plain) names.delete(name)
    recount()
  }

  const server = createServer((socket) => {
    const names = new Set<string>()
    asked.set(socket, names)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => {
      asked.delete(socket)
      recount()
    })
    let rest = ''
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => {
      const blocks = `${rest}${text}`.split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) obey(socket, names, block)
    })
    socket.write('Content-Type: auth/request\n\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return Object.assign(engine, { port: typeof address === 'object' && address !== null ? address.port : 0 })
}

/** The engine's report of one channel, under the names that events have. */
function dumpOf({ uuid = '', presence_id = '', context = '', callstate = '' }: Readonly<Record<string, string>>) {
  return JSON.stringify({
    'Unique-ID': uuid,
    variable_uuid: uuid,
    ...(presence_id === '' ? { 'Call-Direction': 'inbound' } : ofCaller(presence_id)),
    'Caller-Context': context,
    'Channel-Call-State': callstate,
  })
}
