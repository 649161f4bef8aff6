import type { CommandOutcome } from '../commands/commands.ts'
import { DomainError } from '../errors.ts'
import { rateLimited } from '../requests/rate-limit.ts'
import type { CallEngine } from '../commands/call-engine.ts'
import type { PlacedCall } from './known-call.ts'
import type { KnownCallStore } from './known-call-store.ts'
import { listChannels } from './list-channels.ts'
import type { Orderer } from './engine-reply.ts'

/** Calls of one domain that the API placed and that are up, by the contract's section on limits. */
const maxLiveCalls = 50
/** A call may come up this long after it was placed: no phone rings longer than 120 s. */
export const risingMs = 150_000
/** A call that was answered may take this long to show in the engine's list, which is at most 5 s old. */
const showingMs = 10_000
/** The waiting time that is advised for a full domain; the end of a call cannot be predicted. */
const waitMs = 5_000
/** Readings of a full domain in which a call that was placed in time waits for later ones to withdraw. */
const maxReadings = 20

/** The ports of counting calls. */
export interface LiveCallPorts {
  readonly engine: Pick<CallEngine, 'run'>
  readonly knownCalls: Pick<KnownCallStore, 'place' | 'answered' | 'listPlaced' | 'unplace'>
}

/** A call by the uuid that the service chose for it, at an epoch millisecond. */
export interface CountedCall {
  readonly uuid: string
  readonly now: number
}

/**
 * Counts a call before it is placed. If the domain is full, calls that the engine would list if they were up are
 * dropped. Throws `rate_limited` if there is still no room, and `engine_unavailable` if there is neither a list nor a
 * call that never came up.
 */
export async function countCall(
  ports: LiveCallPorts,
  orderer: Orderer & { readonly domain: string },
  { uuid, now }: CountedCall,
): Promise<void> {
  const { knownCalls } = ports
  const { domain } = orderer
  const call = { domain, uuid, placedAt: now, showsBy: now + risingMs }
  if (await hasRoom(knownCalls, call)) return
  const shown = (await knownCalls.listPlaced(domain)).filter(({ showsBy }) => showsBy <= now)
  for (const ended of await endedOf(ports, orderer, shown)) await knownCalls.unplace(ended)
  if (await hasRoom(knownCalls, call)) return
  const full = { limit: maxLiveCalls, remaining: 0, resetMs: waitMs, waitMs }
  throw rateLimited(full, `the domain has ${maxLiveCalls} calls up that the API placed`)
}

/**
 * Places a call and reads what is placed. Every call is stored before it is counted, so the last of too many sees them
 * all. Of calls that are placed together the earliest get the room; each later one withdraws, and `false` is returned.
 */
async function hasRoom(knownCalls: LiveCallPorts['knownCalls'], call: Omit<PlacedCall, 'isUp'>): Promise<boolean> {
  await knownCalls.place(call)
  for (let readings = 0; readings < maxReadings; readings += 1) {
    const placed = await knownCalls.listPlaced(call.domain)
    if (placed.length <= maxLiveCalls) return true
    const own = placed.find(({ uuid }) => uuid === call.uuid) ?? call
    if (placed.filter((other) => isEarlier(other, own)).length >= maxLiveCalls) break
  }
  await knownCalls.unplace(call)
  return false
}

function isEarlier(one: Omit<PlacedCall, 'isUp'>, other: Omit<PlacedCall, 'isUp'>): boolean {
  return one.placedAt < other.placedAt || (one.placedAt === other.placedAt && one.uuid < other.uuid)
}

/**
 * Returns the calls that are no longer up. If an engine that may hold calls of the domain is unreachable, there is no
 * list: then only calls that no engine has reported count as ended. Calls of the unreachable engine stay counted, and
 * block no call at another engine.
 */
async function endedOf(
  { engine }: LiveCallPorts,
  { caller, domain }: Orderer & { readonly domain: string },
  calls: readonly PlacedCall[],
): Promise<readonly PlacedCall[]> {
  try {
    const rows = await listChannels(engine, { caller, domain, scope: 'all' }, {}, ['uuid'])
    const isListed = new Set(rows.map((row) => row['uuid']))
    return calls.filter(({ uuid }) => !isListed.has(uuid))
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'engine_unavailable') throw error
    const unreported = calls.filter(({ isUp }) => !isUp)
    if (unreported.length === 0) throw error
    return unreported
  }
}

/**
 * Corrects the count after the engine's answer: a call that did not come up no longer counts, and one that came up
 * counts under the engine's uuid. A call with an unknown outcome stays counted for as long as it may come up.
 */
export async function recountCall(
  { knownCalls }: Pick<LiveCallPorts, 'knownCalls'>,
  domain: string,
  { uuid, now }: CountedCall,
  outcome: CommandOutcome | undefined,
): Promise<void> {
  if (outcome === undefined || outcome.state === 'unknown') return
  const showsBy = now + showingMs
  const actual = outcome.state === 'done' ? (outcome.uuid ?? uuid) : undefined
  if (actual === uuid) return knownCalls.answered({ domain, uuid }, showsBy)
  if (actual !== undefined) await knownCalls.place({ domain, uuid: actual, placedAt: now, showsBy })
  await knownCalls.unplace({ domain, uuid })
}
