import type { AdapterContext } from '../../../adapters/context.ts'
import type { Item } from '../../../adapters/dynamodb/client.ts'
import { scanAll, tableName } from '../../../adapters/dynamodb/client.ts'
import { type TableName, tables } from '../../../contracts/resources.ts'

/** One item as it is stored. */
export interface StoredItem {
  readonly table: TableName
  readonly item: Item
  /** The name of the table and all attributes, in a fixed order. */
  readonly text: string
}

/** Every item of every table but those named. */
export async function storedItems(
  context: AdapterContext,
  without: readonly TableName[] = [],
): Promise<readonly StoredItem[]> {
  const names = (Object.keys(tables) as TableName[]).filter((name) => !without.includes(name))
  const found = names.map(async (table) => {
    const items = await scanAll(context, { TableName: tableName(context, table), ConsistentRead: true })
    return items.map((item) => ({ table, item, text: `${table} ${sortedJson(item)}` }))
  })
  return (await Promise.all(found)).flat()
}

/** The same as text, in a fixed order. */
export async function dump(context: AdapterContext, without: readonly TableName[] = []): Promise<readonly string[]> {
  return (await storedItems(context, without)).map(({ text }) => text).sort()
}

/** JSON whose keys are in order at every depth: stores promise none. */
function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${sortedJson(member)}`).join()}}`
}
