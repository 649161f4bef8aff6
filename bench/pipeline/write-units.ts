/**
 * Computes the write units of DynamoDB from requests: one for each started KB of an item, twice that inside a
 * transaction, and the same again for each entry of the index that a write adds, changes or removes.
 */
import * as z from 'zod/mini'

type Attribute = Readonly<Record<string, unknown>>
type Attributes = Readonly<Record<string, Attribute>>

// Values are examined by hand: parsing each of them cost a seventh of the main thread that is measured here.
const attributes = z.custom<Attributes>(isObject)
const put = z.object({ TableName: z.string(), Item: attributes })
const update = z.object({
  TableName: z.string(),
  Key: attributes,
  UpdateExpression: z.string(),
  ExpressionAttributeValues: z.optional(attributes),
})
const removal = z.object({ TableName: z.string(), Key: attributes })
const part = z.object({ Put: z.optional(put), Update: z.optional(update), Delete: z.optional(removal) })
const transaction = z.object({ TransactItems: z.array(part) })
const batch = z.object({
  RequestItems: z.record(
    z.string(),
    z.array(
      z.object({
        PutRequest: z.optional(z.object({ Item: attributes })),
        DeleteRequest: z.optional(z.object({ Key: attributes })),
      }),
    ),
  ),
})

interface KnownItem {
  readonly bytes: number
  readonly isIndexed: boolean
}

/** Counts write units, over all and by partition key. */
export class WriteUnits {
  readonly #items = new Map<string, KnownItem>()
  /** Units of each partition of a table in each second. */
  readonly partitions = new Map<string, number>()
  total = 0

  /** Adds a call's units. `second` is when it was made, for {@link partitions}. */
  add(action: string, input: unknown, second: number): void {
    const before = this.total
    if (action === 'PutItem') this.#put(z.parse(put, input), 1, second)
    else if (action === 'UpdateItem') this.#update(z.parse(update, input), 1, second)
    else if (action === 'DeleteItem') this.#remove(z.parse(removal, input), 1, second)
    else if (action === 'TransactWriteItems') {
      for (const { Put, Update, Delete } of z.parse(transaction, input).TransactItems) {
        if (Put) this.#put(Put, 2, second)
        if (Update) this.#update(Update, 2, second)
        if (Delete) this.#remove(Delete, 2, second)
      }
    } else if (action === 'BatchWriteItem') {
      for (const [TableName, writes] of Object.entries(z.parse(batch, input).RequestItems)) {
        for (const { PutRequest, DeleteRequest } of writes) {
          if (PutRequest) this.#put({ TableName, Item: PutRequest.Item }, 1, second)
          if (DeleteRequest) this.#remove({ TableName, Key: DeleteRequest.Key }, 1, second)
        }
      }
    }
    if (this.total < before) throw new Error('write units cannot fall')
  }

  #put({ TableName, Item }: z.infer<typeof put>, factor: number, second: number): void {
    const name = nameOf(TableName, Item)
    const known = this.#items.get(name)
    const item = { bytes: sizeOf(Item), isIndexed: 'gsi_pk' in Item }
    this.#charge(TableName, Item, Math.max(item.bytes, known?.bytes ?? 0), factor, second)
    if (item.isIndexed || known?.isIndexed) this.total += units(item.bytes)
    this.#items.set(name, item)
  }

  #update(written: z.infer<typeof update>, factor: number, second: number): void {
    const { TableName, Key, UpdateExpression, ExpressionAttributeValues = {} } = written
    const name = nameOf(TableName, Key)
    const known = this.#items.get(name) ?? { bytes: sizeOf(Key), isIndexed: false }
    const bytes = Math.max(known.bytes, sizeOf(Key) + sizeOf(ExpressionAttributeValues))
    this.#charge(TableName, Key, bytes, factor, second)
    const leaves = /REMOVE\b.*\bgsi_pk\b/.test(UpdateExpression)
    const moves = /SET\b.*\bgsi_pk = /.test(UpdateExpression)
    // An entry that gets another key is removed and written anew.
    if (known.isIndexed && moves) this.total += 2 * units(bytes)
    else if (known.isIndexed || moves) this.total += units(bytes)
    this.#items.set(name, { bytes, isIndexed: leaves ? false : known.isIndexed || moves })
  }

  #remove({ TableName, Key }: z.infer<typeof removal>, factor: number, second: number): void {
    const name = nameOf(TableName, Key)
    const known = this.#items.get(name)
    this.#charge(TableName, Key, known?.bytes ?? 0, factor, second)
    if (known?.isIndexed) this.total += units(known.bytes)
    this.#items.delete(name)
  }

  #charge(table: string, key: Attributes, bytes: number, factor: number, second: number): void {
    const charged = units(bytes) * factor
    this.total += charged
    const partition = `${second} ${table} ${String(key['pk']?.['S'])}`
    this.partitions.set(partition, (this.partitions.get(partition) ?? 0) + charged)
  }
}

function units(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 1024))
}

function nameOf(table: string, key: Attributes): string {
  return `${table} ${String(key['pk']?.['S'])} ${String(key['sk']?.['S'])}`
}

function sizeOf(item: Attributes): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0)
}

function valueSize(value: Attribute): number {
  const { S, B, N, L, M } = value
  if (typeof S === 'string') return Buffer.byteLength(S)
  if (typeof B === 'string') return Buffer.byteLength(B, 'base64')
  if (typeof N === 'string') return 1 + Math.ceil(N.length / 2)
  if (Array.isArray(L)) return L.filter(isObject).reduce((sum, each) => sum + 1 + valueSize(each), 3)
  if (!isObject(M)) return 1
  const members = Object.entries(M).filter((member): member is [string, Attribute] => isObject(member[1]))
  return members.reduce((sum, [name, each]) => sum + 1 + Buffer.byteLength(name) + valueSize(each), 3)
}

function isObject(value: unknown): value is Attribute {
  return typeof value === 'object' && value !== null
}
