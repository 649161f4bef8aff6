/** The hook client over real sockets, with names and time that the test decides. */
import type { LookupAddress } from 'node:dns'
import { addressGuard } from '../../../adapters/http/address-guard.ts'
import { hookClientLimits, hookClientOver } from '../../../adapters/http/guarded-hook-client.ts'
import type { HookClient } from '../../../core/hooks/request/hook-client.ts'
import type { Clock } from '../../../core/time.ts'
import { type ManualTime, manualTime } from '../processes/manual-time.ts'

/** The choices of a test; by default names have no address, and loopback is open. */
export interface GuardedClientSetup {
  /** Networks in addition to the public ones. */
  readonly allowed?: string
  /** Returns the addresses of a name at this moment; nothing, or a rejection, for none. */
  readonly resolve?: (hostname: string) => readonly string[] | Promise<readonly string[]>
  readonly time?: ManualTime
  /** The clock that attempts are measured by; that of `time` where left out. */
  readonly clock?: Clock
  readonly authorities?: string
}

/** A client under test. */
export interface GuardedClient extends HookClient {
  /** Every name that the resolver was asked for, in order. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

/** An address as a resolver gives it. */
const lookedUp = (address: string): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })

/** A client with the limits of the contract. Close it at the end of the test. */
export function guardedClient(setup: GuardedClientSetup = {}): GuardedClient {
  const { allowed = '127.0.0.0/8', resolve = () => [], time = manualTime(), authorities } = setup
  const asked: string[] = []
  const client = hookClientOver({
    clock: setup.clock ?? time.clock,
    guard: addressGuard(allowed),
    resolve: async (hostname) => {
      asked.push(hostname)
      return (await resolve(hostname)).map(lookedUp)
    },
    timers: time.timers,
    limits: hookClientLimits,
    ...(authorities === undefined ? {} : { authorities }),
  })
  return { ...client, asked }
}
