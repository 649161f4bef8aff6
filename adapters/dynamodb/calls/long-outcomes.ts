import * as z from 'zod/mini'
import type { CommandOutcome, CommandRecord, CommandScope } from '../../../core/commands/commands.ts'
import { DomainError } from '../../../core/errors.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { putItem, queryAll, tableName } from '../client.ts'
import { unpackOutcome } from './command-outcome.ts'
import { expirySeconds, parseItem, under } from '../items.ts'
import { joinKey, keyPrefix, numberPart } from '../key.ts'

/** The time for which further commands share a set of parts after it was begun; the set is kept far longer. */
const SHARED_MS = 60_000

/** Sets that are kept unpacked, a long list and its rows in each: some 20 MB at 5 000 channels. */
const MAX_UNPACKED = 2

/** The reference from a record to a long outcome: the name of the set of its parts, and their number. */
export const outcomeParts = z.object({
  set: z.string(),
  count: z.number(),
  /** Whether the set belongs to the scope of the command, and not to the command alone. */
  isShared: z.optional(z.literal(true)),
})

/** See {@link outcomeParts}. */
export type OutcomeParts = z.infer<typeof outcomeParts>

/** Outcomes that are too long for the records of their commands. */
export interface LongOutcomes {
  /**
   * Stores the parts of a command's outcome; once for all commands of a scope that are given the very same parts within
   * a minute. Without a scope they are the command's own. Once the answer is visible, all of them can be read.
   */
  write(id: string, parts: readonly Uint8Array[], scope: CommandScope | undefined): Promise<OutcomeParts>
  /** The outcome of a command; the very same object for commands that share it, while it is among the newest. */
  read(record: Pick<CommandRecord, 'id' | 'scope'>, stored: OutcomeParts): Promise<CommandOutcome>
}

/** A set that was begun at a moment, epoch milliseconds. */
interface SharedSet {
  readonly at: number
  readonly stored: Promise<OutcomeParts>
}

const unpacked = new Map<string, Promise<CommandOutcome>>()

const partItem = z.object({ bytes: z.instanceof(Uint8Array) })

/**
 * Long outcomes as items of parts. A shared outcome is stored under the scope of its commands, so that a record that
 * names one of another scope finds nothing.
 */
export function longOutcomes(context: AdapterContext): LongOutcomes {
  const shared = new WeakMap<readonly Uint8Array[], Map<string, SharedSet>>()

  const share = (parts: readonly Uint8Array[], scope: CommandScope): Promise<OutcomeParts> => {
    const ofScopes = shared.get(parts) ?? new Map<string, SharedSet>()
    shared.set(parts, ofScopes)
    const key = scopeText(scope)
    const at = context.clock.now()
    const known = ofScopes.get(key)
    if (known !== undefined && at - known.at < SHARED_MS) return known.stored
    const set = context.random.uuid()
    const expiresAt = expirySeconds(keptUntil.sharedOutcome(at))
    const stored = putParts(context, sharedKey(scope, set), parts, expiresAt).then(
      () => ({ set, count: parts.length, isShared: true }) as const,
    )
    ofScopes.set(key, { at, stored })
    stored.catch(() => ofScopes.delete(key))
    return stored
  }

  return {
    write: async (id, parts, scope) => {
      if (scope !== undefined) return share(parts, scope)
      const set = context.random.uuid()
      const expiresAt = expirySeconds(keptUntil.commandPart(context.clock.now()))
      await putParts(context, ownKey(id, set), parts, expiresAt)
      return { set, count: parts.length }
    },
    read: ({ id, scope }, { set, count, isShared }) => {
      if (isShared !== true) return readSet(context, ownKey(id, set), count)
      const place = sharedKey(scope, set)
      const outcome = unpacked.get(place.pk) ?? readSet(context, place, count)
      unpacked.delete(place.pk)
      unpacked.set(place.pk, outcome)
      outcome.catch(() => unpacked.delete(place.pk))
      const [oldest] = unpacked.keys()
      if (unpacked.size > MAX_UNPACKED && oldest !== undefined) unpacked.delete(oldest)
      return outcome
    },
  }
}

interface PartsKey {
  readonly pk: string
  readonly first: readonly [string, ...string[]]
}

function ownKey(id: string, set: string): PartsKey {
  return { pk: joinKey(id), first: ['part', set] }
}

function sharedKey(scope: CommandScope, set: string): PartsKey {
  return { pk: joinKey('outcome', scopeText(scope), set), first: ['part'] }
}

/** A scope as one text. No two scopes have the same. */
function scopeText({ domain, presenceId }: CommandScope): string {
  return JSON.stringify([domain, presenceId])
}

async function putParts(
  context: AdapterContext,
  { pk, first }: PartsKey,
  parts: readonly Uint8Array[],
  expiresAt: number,
): Promise<void> {
  const TableName = tableName(context, 'commands')
  for (const [index, bytes] of parts.entries()) {
    await putItem(context, { TableName, Item: { pk, sk: joinKey(...first, numberPart(index)), bytes, expiresAt } })
  }
}

/** Parts never change, so a reading that finds them all need not be a consistent one, which costs twice as much. */
async function readSet(context: AdapterContext, { pk, first }: PartsKey, count: number): Promise<CommandOutcome> {
  const query = { TableName: tableName(context, 'commands'), ...under(pk, keyPrefix(...first)) }
  let items = await queryAll(context, query)
  if (items.length !== count) items = await queryAll(context, { ...query, ConsistentRead: true })
  if (items.length !== count) throw new DomainError('internal_error', 'parts of a stored outcome are missing')
  return unpackOutcome(items.flatMap((item) => parseItem(partItem, item)?.bytes ?? []))
}
