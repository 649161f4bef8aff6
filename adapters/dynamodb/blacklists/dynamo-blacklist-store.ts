import type { BlacklistStore } from '../../../core/blacklists/blacklist-store.ts'
import type { AdapterContext } from '../../context.ts'
import { entryPartition, generationItem, generationKey, generationsPartition } from './blacklist-item.ts'
import { isListLive, isLive, readEntries, readList, readLists, readPage, readStored } from './blacklist-reads.ts'
import { addEntry, removeEntry, removeList } from './blacklist-writes.ts'
import { deleteItem, queryAll, tableName } from '../client.ts'
import { emptyPartition } from '../empty-partition.ts'
import { parseItem, under } from '../items.ts'

/**
 * Blacklists in DynamoDB. The entries of a list lie in a partition of their own, whose name only the list's item knows:
 * a list of any length is removed by one write. Reads are consistent, writes are transactions. The store's own expiry
 * is not used, since it would take entries away without counting them.
 */
export function dynamoBlacklistStore(context: AdapterContext): BlacklistStore {
  return {
    add: (entry, limits) => addEntry(context, entry, limits),
    remove: (domain, list, number) => removeEntry(context, domain, list, number),
    removeList: (domain, list) => removeList(context, domain, list),
    async read(domain, name, number) {
      const list = await readList(context, domain, name)
      const entry = list && (await readStored(context, domain, list.generation, number))
      return entry && isLive(entry, context.clock.now()) ? entry : undefined
    },
    async names(domain) {
      const lists = await readLists(context, domain)
      const alive = await Promise.all(lists.map((list) => isListLive(context, domain, list)))
      // Stored keys are escaped, and their order is another one.
      return lists
        .filter((_, index) => alive[index])
        .map(({ name }) => name)
        .sort()
    },
    async page(domain, name, page) {
      const list = await readList(context, domain, name)
      return list === undefined ? { entries: [], more: false } : readPage(context, domain, list, page)
    },
    async entries(domain, name) {
      const list = await readList(context, domain, name)
      return list === undefined ? [] : readEntries(context, domain, list)
    },
    sweep: (domain, until) => sweep(context, domain, until),
  }
}

/** Empties the partitions of removed lists, each one's mark going last, so that a broken sweep is found again. */
async function sweep(context: AdapterContext, domain: string, until: number): Promise<boolean> {
  const TableName = tableName(context, 'blacklists')
  const marks = await queryAll(context, {
    TableName,
    ConsistentRead: true,
    ...under(generationsPartition(domain)),
  })
  const removed = marks.flatMap((mark) => parseItem(generationItem, mark) ?? []).filter((mark) => mark.removed)
  for (const { generation } of removed) {
    const place = { table: 'blacklists', pk: entryPartition(domain, generation) } as const
    if (!(await emptyPartition(context, place, until))) return false
    await deleteItem(context, { TableName, Key: generationKey(domain, generation) })
  }
  return true
}
