/** A proxy before an event socket that keeps every command that was sent through it. */
import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'

/** The proxy. */
export interface RecordingProxy {
  readonly port: number
  /** Every command so far, without its password and job id, of all connections. */
  commands(): readonly string[]
  /** Resets every connection; later ones are accepted. */
  cut(): void
  close(): Promise<void>
}

/** Starts a proxy on a free port of the loopback address before `port` of it. */
export async function startRecordingProxy(port: number): Promise<RecordingProxy> {
  const sent: { text: string }[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const record = { text: '' }
    sent.push(record)
    const engine = connect(port, '127.0.0.1')
    for (const socket of [client, engine]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    client.on('data', (bytes: Buffer) => {
      record.text += bytes.toString('latin1')
      engine.write(bytes)
    })
    engine.on('data', (bytes) => client.write(bytes))
    client.on('close', () => engine.destroy())
    engine.on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    commands: () =>
      sent.flatMap(({ text }) =>
        text
          .split('\n\n')
          .filter((command) => command.trim() !== '')
          .map((command) => (command.split('\n', 1)[0] ?? '').replace(/^auth .*/, 'auth')),
      ),
    cut: () => {
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The whole commands that a connector may send to an engine that it only observes. */
export const observersCommands: readonly RegExp[] = [
  /^auth$/,
  /^exit$/,
  /^(?:event json|nixevent) [\w :]+$/,
  /^api (?:global_getvar core_uuid|uptime|status)$/,
  /^api show (?:channels|registrations) as json$/,
  /^api uuid_(?:dump [0-9a-f-]{36} json|exists [0-9a-f-]{36})$/,
]
