import type { CommandOutcome } from '../commands.ts'
import { DomainError } from '../errors.ts'
import { rateLimited } from '../limits/allowance.ts'
import type { CallEngine } from './call-engine.ts'
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
/** When to come back to a full domain: nobody knows when a call ends. */
const waitMs = 5_000

/** What the count works with. */
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
 * Counts a call that is about to be placed. When the count is full, what has ended is dropped from it: what the engine
 * does not list, though it would if it were up. Throws `rate_limited` when there is no room then, and
 * `engine_unavailable` when there is no list to tell, and no call that has ended by all that is known.
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
 * Which of the calls are up no more. Where an engine is away that may hold calls of the domain, there is no list: then
 * it is those whose end a connector has heard. Calls of the engine that is away stay counted, and keep none from another.
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
 * Sets the count right by what the engine said: a call that did not come up counts no more, and one that came up
 * counts under the uuid that the engine gave it. One whose fate is not known stays counted for as long as it may rise.
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
