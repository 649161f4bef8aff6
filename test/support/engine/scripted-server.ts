import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** The engine's process that a script plays when none is named. */
export const scriptedCoreUuid = '981a5c5a-d057-447a-be95-4b13f8d004b6'

/** One connection, played by a test instead of an engine. */
export interface ScriptedPeer {
  /** Writes bytes as they are. */
  send(bytes: string | Buffer): void
  /** Writes a `command/reply` frame. */
  reply(text: string, headers?: string): void
  /** Writes an `api/response` frame. */
  result(body: string): void
  /** Writes an event in JSON. */
  event(headers: Readonly<Record<string, string>>): void
  /** The next command of the client, without its blank line; rejects when the connection ends before it. */
  next(): Promise<string>
  /** Waits for the next command and throws when it is another one. */
  expect(command: string): Promise<void>
  /** Greets, and accepts the password. */
  login(): Promise<void>
  /** Plays everything up to a session that is ready; `subscription` is what it must ask for, empty for nothing. */
  ready(subscription?: string): Promise<void>
  /** Stops and goes on reading. */
  pause(): void
  resume(): void
  /** Ends the connection in order. */
  end(): void
  /** Resets the connection. */
  reset(): void
  /** Resolves when the connection has ended on either side. */
  readonly closed: Promise<void>
}

/** A socket that an engine is reached by. */
export interface EngineDoor {
  readonly port: number
  /** How many connections were made through it. */
  readonly connections: number
  /** How many of them are open. */
  readonly links: number
  /** Resets every connection through it; new ones are accepted. */
  cut(): void
  /** Resets every connection through it, and accepts no new one. */
  shut(): Promise<void>
  /** Accepts connections again, at the same port; changes nothing while it does. */
  reopen(): Promise<void>
}

/** Opens a door, at a free port unless one is given, each of whose connections `play` serves. */
export async function openEngineDoor(play: (peer: ScriptedPeer) => void, at = 0): Promise<EngineDoor> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.setNoDelay(true)
    play(scriptedPeer(socket))
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(at)
  const { port } = server.address() as AddressInfo
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    port,
    get connections() {
      return connections
    },
    get links() {
      return sockets.size
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

/** A server that plays one script for each connection, in their order. */
export interface ScriptedEslServer {
  readonly port: number
  /** How many connections were made. */
  readonly connections: number
  /** Ends everything; throws what a script has thrown. */
  close(): Promise<void>
}

/** Starts a server on a free port. A connection for which there is no script is reset, and `close` throws. */
export async function startScriptedEslServer(
  ...scripts: ((peer: ScriptedPeer) => Promise<void> | void)[]
): Promise<ScriptedEslServer> {
  const running: Promise<void>[] = []
  const play = async (peer: ScriptedPeer) => {
    const script = scripts[running.length]
    if (script) return script(peer)
    peer.reset()
    throw new Error('a connection came that no script was written for')
  }
  const door = await openEngineDoor((peer) => {
    const played = play(peer)
    running.push(played)
    // `close` throws what went wrong; until then it is not an unhandled rejection.
    played.catch(() => {})
  })
  return {
    port: door.port,
    get connections() {
      return door.connections
    },
    async close() {
      await door.shut()
      const failed = (await Promise.allSettled(running)).find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
    },
  }
}

function scriptedPeer(socket: Socket): ScriptedPeer {
  const commands = commandsOf(socket)
  const peer: ScriptedPeer = {
    send: (bytes) => {
      if (!socket.destroyed) socket.write(bytes)
    },
    reply: (text, headers = '') => peer.send(`Content-Type: command/reply\nReply-Text: ${text}\n${headers}\n`),
    result: (body) => peer.send(`Content-Type: api/response\nContent-Length: ${Buffer.byteLength(body)}\n\n${body}`),
    event(headers) {
      const body = JSON.stringify(headers)
      peer.send(`Content-Length: ${Buffer.byteLength(body)}\nContent-Type: text/event-json\n\n${body}`)
    },
    next: commands.next,
    async expect(command) {
      const got = await peer.next()
      if (got !== command) throw new Error(`the client sent ${JSON.stringify(got)} and not ${JSON.stringify(command)}`)
    },
    async login() {
      peer.send('Content-Type: auth/request\n\n')
      await peer.expect('auth ClueCon')
      peer.reply('+OK accepted')
    },
    async ready(subscription = '') {
      await peer.login()
      await peer.expect('api global_getvar core_uuid')
      peer.result(scriptedCoreUuid)
      if (subscription === '') return
      await peer.expect(`event json ${subscription}`)
      peer.reply('+OK event listener enabled json')
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    end: () => void socket.end(),
    reset: () => socket.resetAndDestroy(),
    closed: commands.closed,
  }
  return peer
}

/** Cuts what a client sends into its commands. */
function commandsOf(socket: Socket): { next: () => Promise<string>; closed: Promise<void> } {
  const commands: string[] = []
  const closed = Promise.withResolvers<void>()
  let arrived = Promise.withResolvers<void>()
  let ended = false
  let rest = ''
  socket.setEncoding('utf8')
  socket.on('error', () => {})
  socket.on('data', (text: string) => {
    const parts = `${rest}${text}`.split('\n\n')
    rest = parts.pop() ?? ''
    commands.push(...parts)
    arrived.resolve()
  })
  socket.on('close', () => {
    ended = true
    arrived.resolve()
    closed.resolve()
  })
  return {
    closed: closed.promise,
    async next() {
      for (;;) {
        const command = commands.shift()
        if (command !== undefined) return command
        if (ended) throw new Error('the client closed the connection before its next command')
        arrived = Promise.withResolvers<void>()
        await arrived.promise
      }
    },
  }
}
