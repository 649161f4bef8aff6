import type { CommandOutcome } from '../commands/commands.ts'
import { DomainError } from '../errors.ts'
import { rateLimited } from '../limits/allowance.ts'
import type { CallEngine } from '../commands/call-engine.ts'
import type { KnownCallStore } from './known-call-store.ts'
import type { LiveCallStore } from './live-call-store.ts'
import { listChannels } from './list-channels.ts'
import type { Orderer } from './command-scope.ts'

/** Calls of one domain that the API placed and that are up, by the contract's section on limits. */
const maxLiveCalls = 50
/** A call may come up this long after it was placed: no phone rings longer than 120 s. */
export const risingMs = 150_000
/** A call that was answered may take this long to show in the engine's list, which is at most 5 s old. */
const showingMs = 10_000
/** The waiting time that is advised for a full domain; the end of a call cannot be predicted. */
const waitMs = 5_000

/** The ports of counting calls. */
export interface LiveCallPorts {
  readonly liveCalls: Pick<LiveCallStore, 'put' | 'list' | 'remove'>
  readonly engine: Pick<CallEngine, 'run'>
  readonly knownCalls: Pick<KnownCallStore, 'read'>
}

/** A call by the uuid that the service chose for it, at an epoch millisecond. */
export interface CountedCall {
  readonly uuid: string
  readonly now: number
}

/**
 * Counts a call before it is placed. When the count is full, ended calls are dropped from it: those that the engine would
 * list if they were up. Throws `rate_limited` when there is still no room, and `engine_unavailable` when there is neither a
 * list nor a call that is known to have ended.
 */
export async function countCall(
  ports: LiveCallPorts,
  orderer: Orderer & { readonly domain: string },
  { uuid, now }: CountedCall,
): Promise<void> {
  const { liveCalls } = ports
  const { domain } = orderer
  if (await liveCalls.put(domain, uuid, now + risingMs, maxLiveCalls)) return
  const known = await liveCalls.list(domain)
  const shown = [...known].filter(([, showsBy]) => showsBy <= now).map(([call]) => call)
  await liveCalls.remove(domain, await ended(ports, orderer, shown))
  if (await liveCalls.put(domain, uuid, now + risingMs, maxLiveCalls)) return
  const full = { limit: maxLiveCalls, remaining: 0, resetMs: waitMs, waitMs }
  throw rateLimited(full, `the domain has ${maxLiveCalls} calls up that the API placed`)
}

/**
 * Returns the calls that are no longer up. If an engine that may hold calls of the domain is unreachable, there is no list:
 * then only calls whose end a connector has received count as ended. Calls of the unreachable engine stay counted, and block
 * no call at another engine.
 */
async function ended(
  { engine, knownCalls }: LiveCallPorts,
  { caller, domain }: Orderer & { readonly domain: string },
  calls: readonly string[],
): Promise<string[]> {
  try {
    const rows = await listChannels(engine, { caller, domain, scope: 'all' }, {}, ['uuid'])
    const isUp = new Set(rows.map((row) => row['uuid']))
    return calls.filter((call) => !isUp.has(call))
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'engine_unavailable') throw error
    const found = await Promise.all(calls.map((call) => knownCalls.read(domain, call)))
    const unheardOf = calls.filter((_call, at) => found[at] === undefined)
    if (unheardOf.length === 0) throw error
    return unheardOf
  }
}

/**
 * Corrects the count after the engine's answer: a call that did not come up no longer counts, and one that came up counts
 * under the engine's uuid. A call with an unknown outcome stays counted for as long as it may come up.
 */
export async function recountCall(
  { liveCalls }: Pick<LiveCallPorts, 'liveCalls'>,
  domain: string,
  { uuid, now }: CountedCall,
  outcome: CommandOutcome | undefined,
): Promise<void> {
  if (outcome === undefined || outcome.state === 'unknown') return
  const actual = outcome.state === 'done' ? (outcome.uuid ?? uuid) : undefined
  if (actual !== undefined) await liveCalls.put(domain, actual, now + showingMs, maxLiveCalls + 1)
  if (actual !== uuid) await liveCalls.remove(domain, [uuid])
}
