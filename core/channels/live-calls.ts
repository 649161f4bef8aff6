import type { CommandOutcome } from '../commands.ts'
import { rateLimited } from '../limits/allowance.ts'
import type { CallEngine, LiveCallStore } from '../ports.ts'
import { listChannels } from './list-channels.ts'
import type { Orderer } from './command-scope.ts'

/** Calls of one domain that the API placed and that are up, by the contract's section on limits. */
const maxLiveCalls = 50
/** A call may come up this long after it was placed: no phone rings longer than 120 s. */
const risingMs = 150_000
/** A call that was answered may take this long to show in the engine's list, which is at most 5 s old. */
const showingMs = 10_000
/** When to come back to a full domain: nobody knows when a call ends. */
const waitMs = 5_000

/** What the count works with. */
export interface LiveCallPorts {
  readonly liveCalls: Pick<LiveCallStore, 'put' | 'list' | 'remove'>
  readonly engine: Pick<CallEngine, 'run'>
}

/** A call by the uuid that the service chose for it, at an epoch millisecond. */
export interface CountedCall {
  readonly uuid: string
  readonly now: number
}

/**
 * Counts a call that is about to be placed. When the count is full, what has ended is dropped from it: what the engine
 * does not list, though it would if it were up. Throws `rate_limited` when there is no room then.
 */
export async function countCall(
  { liveCalls, engine }: LiveCallPorts,
  { caller, domain }: Orderer & { readonly domain: string },
  { uuid, now }: CountedCall,
): Promise<void> {
  if (await liveCalls.put(domain, uuid, now + risingMs, maxLiveCalls)) return
  const known = await liveCalls.list(domain)
  const rows = await listChannels(engine, { caller, domain, scope: 'all' }, {}, ['uuid'])
  const isUp = new Set(rows.map((row) => row['uuid']))
  const ended = [...known].filter(([call, showsBy]) => !isUp.has(call) && showsBy <= now).map(([call]) => call)
  await liveCalls.remove(domain, ended)
  if (await liveCalls.put(domain, uuid, now + risingMs, maxLiveCalls)) return
  const full = { limit: maxLiveCalls, remaining: 0, resetMs: waitMs, waitMs }
  throw rateLimited(full, `the domain has ${maxLiveCalls} calls up that the API placed`)
}

/**
 * Sets the count right by what the engine said: a call that did not come up counts no more, and one that came up
 * counts under the uuid that the engine gave it. One whose fate is not known stays counted for as long as it may rise.
 */
export async function recountCall(
  { liveCalls }: LiveCallPorts,
  domain: string,
  { uuid, now }: CountedCall,
  outcome: CommandOutcome | undefined,
): Promise<void> {
  if (outcome === undefined || outcome.state === 'unknown') return
  const actual = outcome.state === 'done' ? (outcome.uuid ?? uuid) : undefined
  if (actual !== undefined) await liveCalls.put(domain, actual, now + showingMs, maxLiveCalls + 1)
  if (actual !== uuid) await liveCalls.remove(domain, [uuid])
}
