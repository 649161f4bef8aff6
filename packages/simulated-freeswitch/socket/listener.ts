import type { Socket } from 'node:net'
import type { EngineEvent } from '../events/engine-event.ts'
import type { EngineTimers } from '../runtime/timers.ts'
import { CommandReader, type SocketCommand } from './command-reader.ts'
import { goodbye, greeting, lostEventsNotice } from './frames.ts'
import { type LogLine, logFrame } from './log-line.ts'
import { eventFrame } from './serialize-event.ts'
import { type SocketServices, type SocketSession, runSessionCommand } from './session-commands.ts'
import { Subscription } from './subscription.ts'

/** A client that says nothing is cut off after this; 24.1 s in the recording (`session/auth-timeout`). */
const loginTimeoutMs = 25_000

/** Events lost by a full queue before the listener is killed (`timing/slow-reader-overflow`). */
const lostEventsLimit = 500

/** The services of the server that a listener uses. */
export interface ListenerHost {
  readonly services: SocketServices
  readonly timers: EngineTimers
  readonly maxQueuedEvents: number
  /** Returns whether a killed listener holds the lock of the whole module: no client is served meanwhile. */
  frozen(): boolean
  freeze(listener: Listener): void
  closed(listener: Listener): void
}

/**
 * One connection. It runs one command at a time and sends no event meanwhile; while events wait for the client to
 * read, it reads no command (`control/api-blocks-connection`, `timing/measurements`).
 */
export class Listener implements SocketSession {
  readonly subscription = new Subscription()
  authenticated = false
  logLevel: number | undefined
  readonly #socket: Socket
  readonly #host: ListenerHost
  readonly #reader = new CommandReader()
  readonly #queue: EngineEvent[] = []
  #logs: string[] = []
  #lost = 0
  #busy = false
  #draining = false
  #ending = false
  #clientDone = false
  #greeted = false
  #cancelLoginTimeout: () => void

  constructor(socket: Socket, host: ListenerHost) {
    this.#socket = socket
    this.#host = host
    this.#cancelLoginTimeout = host.timers.after(loginTimeoutMs, () => this.end(goodbye))
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => this.#read(bytes))
    socket.on('drain', () => {
      this.#draining = false
      this.resume()
    })
    socket.on('end', () => {
      this.#clientDone = true
      this.resume()
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#closed())
    this.resume()
  }

  /** Queues an event if the connection wants it. A full queue loses the event, and at last the connection. */
  offer(event: EngineEvent): void {
    if (this.#ending || !this.subscription.wants(event)) return
    if (this.#queue.length < this.#host.maxQueuedEvents) {
      this.#queue.push(event)
      this.resume()
    } else if (++this.#lost > lostEventsLimit) this.#kill()
  }

  log(line: LogLine): void {
    if (this.logLevel === undefined || line.level > this.logLevel || this.#ending) return
    if (this.#logs.length < this.#host.maxQueuedEvents) this.#logs.push(logFrame(line, this.#host.timers.now()))
    this.resume()
  }

  /** Goes on with whatever waits: the greeting, commands, then events. */
  resume(): void {
    if (this.#busy || this.#ending || this.#draining || this.#host.frozen()) return
    if (!this.#greeted) {
      this.#greeted = true
      this.#write(greeting)
    }
    const command = this.#reader.next()
    if (command !== undefined) {
      void this.#run(command)
    } else if (this.#clientDone) this.end(goodbye)
    else if (!this.#reader.midCommand) this.#sendEvents()
  }

  async #run(command: SocketCommand): Promise<void> {
    this.#busy = true
    const { text, closes } = await runSessionCommand(this, this.#host.services, command)
    this.#busy = false
    if (this.authenticated) this.#cancelLoginTimeout()
    this.#write(text)
    if (closes === true) this.end(goodbye)
    this.resume()
  }

  /** Says a last word and closes the connection once it is written. */
  end(notice: string): void {
    if (this.#ending) return
    this.#ending = true
    this.#queue.length = 0
    this.#socket.end(Buffer.from(notice, 'latin1'), () => this.#socket.destroySoon())
  }

  destroy(): void {
    this.#ending = true
    this.#socket.destroy()
  }

  #read(bytes: Buffer): void {
    if (this.#ending) return
    try {
      this.#reader.feed(bytes.toString('latin1'))
      this.resume()
    } catch {
      this.destroy()
    }
  }

  #sendEvents(): void {
    this.#socket.cork()
    for (const frame of this.#logs.splice(0)) this.#write(frame)
    let sent = 0
    while (!this.#draining && sent < this.#queue.length) {
      const event = this.#queue[sent++]
      if (event !== undefined) this.#write(eventFrame(event, this.subscription.format))
    }
    this.#queue.splice(0, sent)
    this.#socket.uncork()
  }

  /** The notice goes into the middle of the event that was being sent (`session/killed-for-lost-events.tail`). */
  #kill(): void {
    const [event] = this.#queue
    const cut = event === undefined ? '' : eventFrame(event, this.subscription.format)
    this.#host.freeze(this)
    this.end(cut.slice(0, Math.floor(cut.length / 2)) + lostEventsNotice)
  }

  #write(text: string): void {
    if (text !== '' && !this.#socket.destroyed && !this.#socket.write(text, 'latin1')) this.#draining = true
  }

  #closed(): void {
    this.#ending = true
    this.#cancelLoginTimeout()
    this.#queue.length = 0
    this.#host.closed(this)
  }
}
