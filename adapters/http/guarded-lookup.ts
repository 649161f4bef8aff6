import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import type { AddressGuard } from '../../core/requests/target-url.ts'
import { BlockedAddress, NameFailure } from './send-errors.ts'
import { Resolver as DnsClient } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'

/** The dependencies of a guarded lookup. */
export interface GuardedLookupOptions {
  readonly guard: AddressGuard
  readonly resolve: Resolver
}

/**
 * Returns the lookup that a socket makes: the addresses that were judged are those that it connects to, with no second
 * question to the resolver in between.
 */
export function guardedLookup(options: GuardedLookupOptions): LookupFunction {
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

async function permittedAddresses(
  hostname: string,
  { guard, resolve }: GuardedLookupOptions,
): Promise<LookupAddress[]> {
  const addresses = await resolve(hostname).catch((cause: unknown) => {
    throw new NameFailure(cause)
  })
  if (addresses.length === 0) throw new NameFailure(undefined)
  // One forbidden address makes the name forbidden: the name's owner decides the order of the answers.
  if (!addresses.every(({ address }) => guard.permits(address))) throw new BlockedAddress()
  return addresses
}

/** Finds every address of a name; rejects if there is none. */
export type Resolver = (hostname: string) => Promise<LookupAddress[]>

/** The addresses of a name that were found. Without an answer about one kind of address there may be others. */
export interface FoundAddresses {
  readonly addresses: readonly string[]
  /** Whether the name servers answered about both kinds, be it that there are none. */
  readonly isWhole: boolean
}

/** The settings of a resolver. */
export interface DnsResolverOptions {
  /** Name servers as `address` or `address:port`; those of the system where left out. */
  readonly servers?: readonly string[]
  /** The names of the machine itself, in the form of hosts(5). */
  readonly hostsFile?: string
  /** Milliseconds to wait for an answer, in which it is asked for once; where left out, {@link asking}. */
  readonly waitMs?: number | undefined
}

/**
 * For how many milliseconds an answer is waited for, and how often one is asked for: well within the five seconds that
 * a connection has, so that a name without one of the two kinds of address still gets its connection.
 */
const asking = { timeout: 1_500, maxTimeout: 1_500, tries: 2 }

/**
 * Asks the hosts file and then the name servers, both for IPv4 and for IPv6; IPv4 comes first. No thread waits for an
 * answer, as it would with the resolver of the operating system: of those a process has few, and names that some
 * tenant's name server never answers for would hold up all others. `localhost` and the names below it are loopback (RFC
 * 6761).
 */
export function dnsResolver(options: DnsResolverOptions = {}): Resolver {
  const find = addressFinder(options)
  return async (hostname) => {
    const { addresses, refusal } = await find(hostname)
    if (addresses.length > 0) return addresses.map(lookupAddress)
    throw new Error('the name servers know no address', { cause: refusal })
  }
}

/** Finds the addresses of a name as {@link dnsResolver} does, and says whether these are all; never rejects. */
export function addressFinder({
  servers,
  hostsFile = '/etc/hosts',
  waitMs,
}: DnsResolverOptions = {}): (hostname: string) => Promise<FoundAddresses & { readonly refusal?: unknown }> {
  const timing = waitMs === undefined ? asking : { timeout: waitMs, maxTimeout: waitMs, tries: 1 }
  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    if (name === 'localhost' || name.endsWith('.localhost')) return { addresses: ['127.0.0.1', '::1'], isWhole: true }
    const own = addressesIn(await readFile(hostsFile, 'utf8').catch(() => ''), name)
    if (own.length > 0) return { addresses: own, isWhole: true }
    // A new client each time: the machine may be in another network by now, with other name servers.
    const client = new DnsClient(timing)
    if (servers !== undefined) client.setServers(servers)
    const answers = await Promise.allSettled([client.resolve4(name), client.resolve6(name)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const refusals = answers.flatMap((answer): readonly unknown[] =>
      answer.status === 'rejected' ? [answer.reason] : [],
    )
    return { addresses, isWhole: refusals.every(saysThereIsNone), refusal: refusals[0] }
  }
}

function saysThereIsNone(refusal: unknown): boolean {
  return refusal instanceof Error && 'code' in refusal && (refusal.code === 'ENOTFOUND' || refusal.code === 'ENODATA')
}

/** The resolver of a deployment. */
export const systemResolver: Resolver = dnsResolver()

function lookupAddress(address: string): LookupAddress {
  return { address, family: address.includes(':') ? 6 : 4 }
}

/** Returns the addresses of a name (in lower case) in a hosts file: lines of address and names, comments after `#`. */
function addressesIn(hosts: string, name: string): string[] {
  return hosts.split('\n').flatMap((line) => {
    const [address, ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/)
    return address !== undefined && names.some((each) => each.toLowerCase() === name) ? [address] : []
  })
}
