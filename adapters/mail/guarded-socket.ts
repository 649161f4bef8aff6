import type { Timers } from '../../core/concurrency/timers.ts'
import { type Socket, connect, isIP } from 'node:net'
import { guardedLookup, type GuardedLookupOptions } from '../http/guarded-lookup.ts'
import { BlockedAddress, ConnectTimeout } from '../http/send-errors.ts'

/** The options of a guarded socket. */
export interface GuardedSocketOptions extends GuardedLookupOptions {
  readonly timers: Timers
  /** Milliseconds for resolving and connecting together. */
  readonly connectMs: number
}

/**
 * Opens a TCP connection to a permitted address: a literal one is judged here, those of a name when it is resolved, and
 * the one that the socket is connected to once more. Throws what `failureOf` knows.
 */
export function openGuardedSocket(host: string, port: number, options: GuardedSocketOptions): Promise<Socket> {
  const { guard, timers, connectMs } = options
  return new Promise((resolve, reject) => {
    if (isIP(host) !== 0 && !guard.permits(host)) {
      reject(new BlockedAddress())
      return
    }
    const socket = connect({ host, port, lookup: guardedLookup(options) })
    const cancel = timers.after(connectMs, () => socket.destroy(new ConnectTimeout()))
    socket.once('error', (error) => {
      cancel()
      reject(error)
    })
    socket.once('connect', () => {
      cancel()
      if (guard.permits(socket.remoteAddress ?? '')) resolve(socket)
      else socket.destroy(new BlockedAddress())
    })
  })
}
