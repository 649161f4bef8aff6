import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction, Socket } from 'node:net'
import { callbackify } from 'node:util'
import { buildConnector } from 'undici'
import { type AddressGuard, refusedPorts } from '../../core/hooks/target-url.ts'
import { BlockedAddress, ConnectTimeout, NameFailure } from './send-errors.ts'

/** Finds every address of a name; rejects when there is none. */
export type Resolver = (hostname: string) => Promise<LookupAddress[]>

/** Runs something after a time, and answers how to call that off. */
export type Scheduler = (afterMs: number, run: () => void) => () => void

/** The resolver of the operating system. */
export const systemResolver: Resolver = (hostname) => lookup(hostname, { all: true })

/** The timers of the process. */
export const systemSchedule: Scheduler = (afterMs, run) => {
  const timer = setTimeout(run, afterMs)
  return () => clearTimeout(timer)
}

/** What the connector is made of. */
export interface GuardedConnectorOptions {
  readonly guard: AddressGuard
  readonly resolve: Resolver
  readonly schedule: Scheduler
  /** Milliseconds for resolving, connecting and the TLS handshake together. */
  readonly connectMs: number
  /** Authorities that TLS peers are verified against, in PEM form; those of the system where left out. */
  readonly authorities?: string | undefined
}

async function permittedAddresses(
  hostname: string,
  options: Pick<GuardedConnectorOptions, 'guard' | 'resolve'>,
): Promise<LookupAddress[]> {
  const addresses = await options.resolve(hostname).catch((cause: unknown) => {
    throw new NameFailure(cause)
  })
  if (addresses.length === 0) throw new NameFailure(undefined)
  // One forbidden address spoils the name: whoever owns it decides the order of the answers.
  if (!addresses.every(({ address }) => options.guard.permits(address))) throw new BlockedAddress()
  return addresses
}

/**
 * The lookup that a socket makes: the addresses that were judged are those that it connects to, with no second
 * question to the resolver in between.
 */
export function guardedLookup(options: Pick<GuardedConnectorOptions, 'guard' | 'resolve'>): LookupFunction {
  const find = callbackify((hostname: string) => permittedAddresses(hostname, options))
  return (hostname, lookupOptions, callback) => {
    find(hostname, (error, addresses) => {
      const first = addresses?.[0]
      if (first === undefined) callback(error, '')
      else if (lookupOptions.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
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
