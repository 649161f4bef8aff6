import { type AddressInfo, type Server, createServer } from 'node:net'
import type { EngineTimers } from '../runtime/timers.ts'
import { shutdownNotice } from './frames.ts'
import { Listener, type ListenerHost } from './listener.ts'
import type { LogLine } from './log-line.ts'
import type { SocketServices } from './session-commands.ts'

/** More clients than a laptop ever has; further ones are closed at once. */
const maxListeners = 100

/** The event socket itself. */
export interface EventSocket {
  readonly port: number
  dropAll(): void
  log(line: LogLine): void
  close(): Promise<void>
}

/** The inputs of the server. */
export interface EventSocketOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly timers: EngineTimers
  readonly services: SocketServices
  /** Events that may wait for one listener; 100 000 in the engine. */
  readonly maxQueuedEvents: number
}

/** Listens. Rejects with the plain error, such as `EADDRINUSE`, when the port cannot be had. */
export async function openEventSocket(options: EventSocketOptions): Promise<EventSocket> {
  const listeners = new Set<Listener>()
  const lockHolders = new Set<Listener>()
  const host: ListenerHost = {
    services: options.services,
    timers: options.timers,
    maxQueuedEvents: options.maxQueuedEvents,
    frozen: () => lockHolders.size > 0,
    freeze: (listener) => lockHolders.add(listener),
    closed: (listener) => {
      listeners.delete(listener)
      if (lockHolders.delete(listener)) for (const other of listeners) other.resume()
    },
  }
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (listeners.size >= maxListeners) socket.destroy()
    else listeners.add(new Listener(socket, host))
  })
  const unsubscribe = options.services.events.subscribe((event) => {
    for (const listener of listeners) listener.offer(event)
  })
  await listen(server, options)
  return {
    port: portOf(server.address()),
    dropAll: () => {
      for (const listener of listeners) listener.end(shutdownNotice)
    },
    log: (line) => {
      for (const listener of listeners) listener.log(line)
    },
    close: async () => {
      unsubscribe()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const listener of listeners) listener.destroy()
      await closed
    },
  }
}

function listen(server: Server, { host, port }: EventSocketOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function portOf(address: string | AddressInfo | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0
}
