import { once } from 'node:events'
import { type Socket, connect } from 'node:net'

/** A plain event socket at the simulated engine, for injecting events and for reading commands that the engine got. */
export interface EngineSocket {
  /** The reply to an api command. */
  api(command: string): Promise<string>
  /** Injects a `CUSTOM` event of a domain, with one more header where it is given. */
  sendEvent(subclass: string, domain: string, header?: { readonly name: string; readonly value: string }): void
  /** Listens for the end of a call; `event` is its event, with all headers. */
  listenForEnd(uuid: string): Promise<{ readonly event: Promise<string> }>
  close(): Promise<void>
}

/** Opens and logs in with the simulated engine's fixed password. */
export async function openEngineSocket(port: number): Promise<EngineSocket> {
  const socket = connect(port, '127.0.0.1')
  // A killed engine resets the connection. Waiting readers learn it from the `close` event that follows.
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write('auth ClueCon\n\n')
  await textUntil(socket, /\+OK accepted\n\n/)
  return {
    api: async (command) => {
      socket.write(`api ${command}\n\n`)
      const head = /Content-Type: api\/response\nContent-Length: (\d+)\n\n([\s\S]*)/
      const text = await textUntil(socket, head, ([, length, body = '']) => body.length >= Number(length))
      return text.match(head)?.[2] ?? ''
    },
    sendEvent: (subclass, domain, header) => {
      const more = header === undefined ? '' : `${header.name}: ${header.value}\n`
      socket.write(`sendevent CUSTOM\nEvent-Subclass: ${subclass}\nEvent-Domain: ${domain}\n${more}\n`)
    },
    listenForEnd: async (uuid) => {
      socket.write('event plain CHANNEL_HANGUP_COMPLETE\n\n')
      await textUntil(socket, /\+OK event listener enabled/)
      return { event: textUntil(socket, new RegExp(`^Unique-ID: ${uuid}\n[^]*?\n\n`, 'm')) }
    },
    close: async () => {
      if (socket.destroyed) return
      socket.destroy()
      await once(socket, 'close')
    },
  }
}

/** Everything that comes until the pattern is in it and the match is judged whole. */
function textUntil(
  socket: Socket,
  pattern: RegExp,
  isWhole: (match: RegExpMatchArray) => boolean = () => true,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const look = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const match = text.match(pattern)
      if (match === null || !isWhole(match)) return
      socket.off('data', look)
      resolve(text)
    }
    socket.on('data', look)
    socket.once('close', () => reject(new Error(`the engine closed its socket, having said: ${text}`)))
  })
}
