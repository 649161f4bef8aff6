import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'

/** One connection through a proxy: what its client and its server can be made to live through. */
export interface ProxiedConnection {
  /** The first 4 KiB of what the client sent: enough to tell which of several links it is. */
  readonly asked: string
  /** Bytes that the server has sent and that went on to the client. */
  readonly passed: number
  /** After `bytes` more bytes from the server have gone on, resets both sides. Resolves when that has happened. */
  cutAfter(bytes: number): Promise<void>
  /** Passes nothing on from now on, in either direction, and keeps both sides open. */
  drop(): void
  /** Leaves out one byte of the server's, `bytes` after those that have gone on. */
  loseByteAfter(bytes: number): void
  /** Stops reading from the server, which sees a client that does not read. */
  stall(): void
  /** Reads on. */
  resume(): void
  /** Resets both sides. */
  reset(): void
  /** Ends the direction to the client in order and keeps the other one open. */
  halfClose(): void
  /** Resolves when either side is closed. */
  readonly closed: Promise<void>
}

/** A TCP proxy that a test drives. */
export interface TcpProxy {
  readonly port: number
  /** Every connection so far, in the order in which they came. */
  readonly connections: readonly ProxiedConnection[]
  /** Acts on a connection as soon as it is made; nothing happens until replaced. */
  onConnection: (connection: ProxiedConnection, index: number) => void
  /** Whether new connections are refused, as by a host that is down. */
  isRefusing: boolean
  close(): Promise<void>
}

/** Starts a proxy on a free port of the loopback address before `port` of it. */
export async function startTcpProxy(port: number): Promise<TcpProxy> {
  const connections: ProxiedConnection[] = []
  const sockets = new Set<Socket>()
  const proxy = { connections, onConnection: () => {}, isRefusing: false } as Pick<
    TcpProxy,
    'connections' | 'onConnection' | 'isRefusing'
  >
  const server = createServer((client) => {
    if (proxy.isRefusing) return client.resetAndDestroy()
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    const connection = proxied(client, upstream)
    connections.push(connection)
    proxy.onConnection(connection, connections.length - 1)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(proxy, {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  })
}

function proxied(client: Socket, upstream: Socket): ProxiedConnection {
  const closed = Promise.withResolvers<void>()
  const cut = Promise.withResolvers<void>()
  let asked = ''
  let passed = 0
  let cutAt = Number.POSITIVE_INFINITY
  let loseAt = Number.POSITIVE_INFINITY
  let isDropping = false

  const reset = () => {
    client.resetAndDestroy()
    upstream.resetAndDestroy()
  }
  const pass = (bytes: Buffer) => {
    if (bytes.length > 0 && !client.write(bytes)) upstream.pause()
  }
  upstream.on('data', (chunk: Buffer) => {
    if (isDropping) return
    const wanted = chunk.subarray(0, Math.max(0, cutAt - passed))
    const at = loseAt - passed
    passed += wanted.length
    if (at >= 0 && at < wanted.length) {
      loseAt = Number.POSITIVE_INFINITY
      pass(wanted.subarray(0, at))
      pass(wanted.subarray(at + 1))
    } else pass(wanted)
    if (passed < cutAt) return
    // The written bytes must arrive before the reset does.
    isDropping = true
    client.write(Buffer.alloc(0), () => {
      reset()
      cut.resolve()
    })
  })
  client.on('drain', () => upstream.resume())
  client.on('data', (chunk: Buffer) => {
    if (asked.length < 4_096) asked = `${asked}${chunk.toString('latin1')}`.slice(0, 4_096)
    if (!isDropping) upstream.write(chunk)
  })
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    one.on('end', () => {
      if (!isDropping) other.end()
    })
    one.on('close', () => {
      closed.resolve()
      if (!isDropping) other.destroy()
    })
  }

  return {
    get asked() {
      return asked
    },
    get passed() {
      return passed
    },
    cutAfter: (bytes) => {
      cutAt = passed + bytes
      return cut.promise
    },
    drop: () => {
      isDropping = true
    },
    loseByteAfter: (bytes) => {
      loseAt = passed + bytes
    },
    stall: () => void upstream.pause(),
    resume: () => void upstream.resume(),
    reset,
    halfClose: () => void client.end(),
    closed: closed.promise,
  }
}
