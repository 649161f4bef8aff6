/** Counts what a real engine says on its event socket, with no part of the product's own reading of it. */
import { once } from 'node:events'
import { connect } from 'node:net'

/** The events of calls that are counted. */
export const countedEvents = ['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY'] as const

/** A listener of the tests at an engine's event socket. */
export interface EventCounter {
  /** `<event> <uuid>` of each event so far, in their order, with doubles. */
  readonly heard: readonly string[]
  /** Starts a command as a job and does not wait for its end. */
  start(command: string): void
  close(): Promise<void>
}

/** Opens a listener; it hears everything that the engine sends from now on. */
export async function openEventCounter(port: number, events: readonly string[] = countedEvents): Promise<EventCounter> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  const heard: string[] = []
  let text = ''
  const listening = Promise.withResolvers<void>()
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    if (text.includes('+OK event listener enabled')) listening.resolve()
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const name = /^Event-Name: (\w+)$/m.exec(block)?.[1]
      const uuid = /^Unique-ID: (\S+)$/m.exec(block)?.[1]
      if (name !== undefined && uuid !== undefined) heard.push(`${name} ${uuid}`)
    }
  })
  socket.write(`auth ClueCon\n\nevent plain ${events.join(' ')}\n\n`)
  await listening.promise
  return {
    heard,
    start: (command) => void socket.write(`bgapi ${command}\n\n`),
    close: async () => {
      if (socket.destroyed) return
      socket.destroy()
      await once(socket, 'close')
    },
  }
}
