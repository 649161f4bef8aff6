import { isIP, Socket } from 'node:net'
import { buildConnector } from 'undici'
import { refusedPorts } from '../../core/hooks/target-url.ts'
import type { Scheduler } from '../../core/ports.ts'
import { guardedLookup, type GuardedLookupOptions } from './guarded-lookup.ts'
import { BlockedAddress, ConnectTimeout } from './send-errors.ts'

/** What the connector is made of. */
export interface GuardedConnectorOptions extends GuardedLookupOptions {
  readonly schedule: Scheduler
  /** Milliseconds for resolving, connecting and the TLS handshake together. */
  readonly connectMs: number
  /** Authorities that TLS peers are verified against, in PEM form; those of the system where left out. */
  readonly authorities?: string | undefined
}

/**
 * Opens the sockets of the hook client: HTTP/1.1 over TCP or verified TLS, to permitted addresses and ports only. A
 * socket asks no resolver for a literal address, so literals are judged here, the others in the lookup.
 */
export function guardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const open = buildConnector({
    allowH2: false,
    timeout: 0,
    lookup: guardedLookup(options),
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(options.authorities === undefined ? {} : { ca: options.authorities }),
  })
  return (target, callback) => {
    const literal = target.hostname.replace(/^\[(.*)\]$/, '$1')
    if (refusedPorts.has(target.port) || (isIP(literal) !== 0 && !options.guard.permits(literal))) {
      callback(new BlockedAddress(), null)
      return undefined
    }
    const socket: unknown = open(target, (error, connected) => {
      cancel()
      if (error === null) callback(null, connected)
      else callback(error, null)
    })
    const cancel = options.schedule(options.connectMs, () => {
      if (socket instanceof Socket) socket.destroy(new ConnectTimeout())
    })
    return socket
  }
}
