import type { Timers } from '../../core/concurrency/timers.ts'
import { isIP, Socket } from 'node:net'
import { buildConnector } from 'undici'
import { refusedPorts } from '../../core/requests/target-url.ts'
import { guardedLookup, type GuardedLookupOptions } from './guarded-lookup.ts'
import { BlockedAddress, ConnectTimeout } from './send-errors.ts'
import { limitWire, resetOnWrite, streamOver } from './wire-limit.ts'

/** The dependencies of the connector. */
export interface GuardedConnectorOptions extends GuardedLookupOptions {
  readonly timers: Timers
  /** Milliseconds for resolving, connecting and the TLS handshake together. */
  readonly connectMs: number
  /** Bytes that a peer may send in answer to one request; the TLS handshake has as many of its own. */
  readonly wireBytes: number
  readonly ownPorts?: ReadonlySet<string> | undefined
  /** Authorities that TLS peers are verified against, in PEM form; those of the system where left out. */
  readonly authorities?: string | undefined
}

/**
 * Opens the sockets of the hook client: HTTP/1.1 over TCP or verified TLS, to permitted addresses and ports only. A
 * socket asks no resolver for a literal address, so literals are judged here, the others in the lookup. A peer that
 * sends more than `wireBytes` loses its connection.
 */
export function guardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const open = openers(options)
  return (target, callback) => {
    const literal = target.hostname.replace(/^\[(.*)\]$/, '$1')
    const isRefused = refusedPorts.has(target.port) || options.ownPorts?.has(target.port) === true
    if (isRefused || (isIP(literal) !== 0 && !options.guard.permits(literal))) {
      callback(new BlockedAddress(), null)
      return
    }
    const sockets: Socket[] = []
    const cancel = options.timers.after(options.connectMs, () => {
      for (const socket of sockets) socket.destroy(new ConnectTimeout())
    })
    const end: buildConnector.Callback = (...result) => {
      cancel()
      callback(...result)
    }
    const opened: unknown = open.tcp(tcpTarget(target), (error, socket) => {
      if (error !== null) return end(error, null)
      const meter = limitWire(socket, options.wireBytes)
      if (target.protocol !== 'https:') {
        resetOnWrite(socket, meter)
        return end(null, socket)
      }
      const secured: unknown = open.tls({ ...target, httpSocket: streamOver(socket) }, (failure, secure) => {
        if (failure !== null) return end(failure, null)
        resetOnWrite(secure, meter)
        end(null, secure)
      })
      if (secured instanceof Socket) sockets.push(secured)
    })
    if (opened instanceof Socket) sockets.push(opened)
  }
}

function openers(options: GuardedConnectorOptions) {
  return {
    tcp: buildConnector({ allowH2: false, timeout: 0, lookup: guardedLookup(options) }),
    tls: buildConnector({
      allowH2: false,
      timeout: 0,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      ...(options.authorities === undefined ? {} : { ca: options.authorities }),
    }),
  }
}

function tcpTarget({ hostname, port, protocol }: buildConnector.Options): buildConnector.Options {
  return { hostname, protocol: 'http:', port: port === '' ? usualPorts[protocol === 'https:' ? 'tls' : 'tcp'] : port }
}

const usualPorts = { tcp: '80', tls: '443' }
