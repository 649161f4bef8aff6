/**
 * The writes of blacklists. An entry, the counts of its list and the count of its domain's lists change together, in
 * one transaction, or not at all. Each write reads the present state, requires it as a condition, and begins again if
 * another write came first.
 */
import { untilDone } from '../../../core/concurrency/retry.ts'
import type { BlacklistEntry } from '../../../core/blacklists/blacklist-entry.ts'
import type { BlacklistAddition } from '../../../core/blacklists/blacklist-store.ts'
import type { AdapterContext } from '../../context.ts'
import { type StoredList, entryKey, generationKey, listCountKey, listKey } from './blacklist-item.ts'
import { countIn, discount, forget, listRemoval, tableOf, withdraw } from './blacklist-parts.ts'
import { countLive, isListLive, isLive, readEnded, readList, readLists, readStored } from './blacklist-reads.ts'
import { type Part, transactWrite } from '../client.ts'
import { type FailedPart, numberOf, textOf, transacted } from '../errors.ts'

interface Limits {
  readonly entries: number
  readonly lists: number
}

/** Ended entries that make room for a new one go together; a transaction takes 100 parts. */
const ENDED_AT_ONCE = 50

/** See {@link BlacklistStore.add}. */
export async function addEntry(
  context: AdapterContext,
  entry: BlacklistEntry,
  limits: Limits,
): Promise<BlacklistAddition> {
  const { domain } = entry
  // Room is made once: if the entries that ended were not enough, the list or the domain is full.
  let isRoomMade = false
  return untilDone(async () => {
    const list = await readList(context, domain, entry.list)
    const end = list === undefined ? await makeList(context, entry, limits) : await extend(context, list, entry, limits)
    if (end === 'added' || end === 'exists' || (end !== 'again' && isRoomMade)) return end
    if (end === 'again') return undefined
    isRoomMade = true
    if (end === 'lists_full') await removeEndedLists(context, domain)
    else if (list !== undefined) await removeEnded(context, domain, list)
    return undefined
  })
}

/** See {@link BlacklistStore.remove}. An expired entry is removed too, without being reported. */
export async function removeEntry(
  context: AdapterContext,
  domain: string,
  name: string,
  number: string,
): Promise<boolean> {
  return untilDone(async () => {
    const list = await readList(context, domain, name)
    const entry = list && (await readStored(context, domain, list.generation, number))
    if (list === undefined || entry === undefined) return false
    const failed = await transact(context, [
      withdraw(context, domain, list.generation, entry),
      ...(list.entries > 1
        ? [discount(context, domain, list, [entry])]
        : [...listRemoval(context, domain, list), forget(context, domain, list)]),
    ])
    return failed === undefined ? isLive(entry, context.clock.now()) : undefined
  })
}

/** See {@link BlacklistStore.removeList}. Its entries are out of sight with the list's item; they are swept later. */
export async function removeList(context: AdapterContext, domain: string, name: string): Promise<number> {
  return untilDone(async () => {
    const list = await readList(context, domain, name)
    if (list === undefined) return 0
    return (await hide(context, domain, list)) ? countLive(context, domain, list) : undefined
  })
}

/** Removes a list's item and marks its partition to be swept; `false` when the list has changed since it was read. */
async function hide(context: AdapterContext, domain: string, list: StoredList): Promise<boolean> {
  const { generation } = list
  const mark: Part = {
    Put: { ...tableOf(context), Item: { ...generationKey(domain, generation), generation, removed: true } },
  }
  return (await transact(context, [...listRemoval(context, domain, list), mark])) === undefined
}

async function makeList(
  context: AdapterContext,
  entry: BlacklistEntry,
  limits: Limits,
): Promise<'added' | 'again' | 'lists_full'> {
  const { domain, list, expires } = entry
  const table = tableOf(context)
  // An id of its own, so that no two lists ever share a partition; the entry's is as random as one.
  const generation = entry.id
  const stored: StoredList = {
    name: list,
    generation,
    entries: 1,
    ending: expires === undefined ? 0 : 1,
    latestEnd: expires ?? 0,
    revision: 1,
  }
  const failed = await transact(context, [
    {
      Put: {
        ...table,
        Item: { ...listKey(domain, list), ...stored },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    },
    {
      Update: {
        ...table,
        Key: listCountKey(domain),
        UpdateExpression: 'ADD lists :one',
        ConditionExpression: 'attribute_not_exists(pk) OR lists < :limit',
        ExpressionAttributeValues: { ':one': 1, ':limit': limits.lists },
      },
    },
    { Put: { ...table, Item: { ...generationKey(domain, generation), generation, removed: false } } },
    { Put: { ...table, Item: { ...entryKey(domain, generation, entry.number), ...entry } } },
  ])
  if (failed === undefined) return 'added'
  const [sameName, count] = failed
  return count?.failed && !sameName?.failed ? 'lists_full' : 'again'
}

async function extend(
  context: AdapterContext,
  list: StoredList,
  entry: BlacklistEntry,
  limits: Limits,
): Promise<BlacklistAddition | 'again'> {
  const { domain, number } = entry
  const { generation } = list
  const old = await readStored(context, domain, generation, number)
  if (old !== undefined && isLive(old, context.clock.now())) return old.id === entry.id ? 'added' : 'exists'
  const failed = await transact(context, [
    countIn(context, list, entry, { replaces: old !== undefined, limit: limits.entries }),
    {
      Put: {
        ...tableOf(context),
        Item: { ...entryKey(domain, generation, number), ...entry },
        ...(old === undefined
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : { ConditionExpression: 'id = :old', ExpressionAttributeValues: { ':old': old.id } }),
      },
    },
  ])
  if (failed === undefined) return 'added'
  return old === undefined && isFull(failed[0], generation, limits.entries) ? 'list_full' : 'again'
}

function isFull(part: FailedPart | undefined, generation: string, limit: number): boolean {
  return textOf(part?.stored, 'generation') === generation && (numberOf(part?.stored, 'entries') ?? 0) >= limit
}

/** Makes room in a list by removing expired entries. One entry always stays, since the list exists. */
async function removeEnded(context: AdapterContext, domain: string, list: StoredList): Promise<void> {
  const ended = await readEnded(context, domain, list, Math.min(ENDED_AT_ONCE, list.entries - 1))
  if (ended.length === 0) return
  await transact(context, [
    discount(context, domain, list, ended),
    ...ended.map((entry) => withdraw(context, domain, list.generation, entry)),
  ])
}

async function removeEndedLists(context: AdapterContext, domain: string): Promise<void> {
  for (const list of await readLists(context, domain)) {
    if (!(await isListLive(context, domain, list))) await hide(context, domain, list)
  }
}

function transact(context: AdapterContext, parts: readonly Part[]): Promise<FailedPart[] | undefined> {
  return transacted(() => transactWrite(context, parts))
}
