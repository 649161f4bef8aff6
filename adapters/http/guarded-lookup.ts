import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import type { AddressGuard } from '../../core/requests/target-url.ts'
import type { Resolver } from './dns-resolver.ts'
import { BlockedAddress, NameFailure } from './send-errors.ts'

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
