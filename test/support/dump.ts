import type { AdapterContext } from '../../adapters/context.ts'
import { scanAll, tableName } from '../../adapters/dynamodb/client.ts'
import { type TableName, tables } from '../../contracts/resources.ts'

/** Every item of every table but those named, as text, in a fixed order. */
export async function dump(context: AdapterContext, without: readonly TableName[] = []): Promise<readonly string[]> {
  const names = (Object.keys(tables) as TableName[]).filter((name) => !without.includes(name))
  const items: string[] = []
  for (const name of names) {
    const found = await scanAll(context, { TableName: tableName(context, name), ConsistentRead: true })
    items.push(...found.map((item) => `${name} ${sortedJson(item)}`))
  }
  return items.sort()
}

/** JSON whose keys are in order at every depth: stores promise none. */
function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${sortedJson(member)}`).join()}}`
}
