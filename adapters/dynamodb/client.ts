import * as z from 'zod/mini'
import { type TableName, tables } from '../../contracts/resources.ts'
import { DomainError } from '../../core/errors.ts'
import { awsJson, services } from '../aws/aws-json.ts'
import { type AdapterContext, required } from '../context.ts'
import { type Item, fromRaw, toRaw } from './attributes.ts'

/** A conditional expression and what stands for names and values in it. */
interface Expressions {
  readonly ConditionExpression?: string
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>
  readonly ExpressionAttributeValues?: Item
  readonly ReturnValuesOnConditionCheckFailure?: 'ALL_OLD'
}

/** The key of an item: every table has these two. */
export interface Key {
  readonly pk: string
  readonly sk: string
}

/** A write of a whole item. */
export interface Put extends Expressions {
  readonly TableName: string
  readonly Item: Item & Key
}

/** A change of attributes. */
export interface Update extends Expressions {
  readonly TableName: string
  readonly Key: Key
  readonly UpdateExpression: string
  readonly ReturnValues?: 'ALL_NEW'
}

/** A removal. */
export interface Delete extends Expressions {
  readonly TableName: string
  readonly Key: Key
}

/** Which items to find. */
export interface Query {
  readonly TableName: string
  readonly IndexName?: string
  readonly ConsistentRead?: boolean
  /** `false`: from the highest sort key to the lowest. */
  readonly ScanIndexForward?: boolean
  /** Items that a page looks at, before the filter. */
  readonly Limit?: number
  readonly Select?: 'COUNT'
  readonly KeyConditionExpression?: string
  readonly FilterExpression?: string
  readonly ProjectionExpression?: string
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>
  readonly ExpressionAttributeValues?: Item
}

/** One part of a transaction that writes. */
export type Part = { readonly Put: Put } | { readonly Update: Update } | { readonly Delete: Delete }

const rawItem = z.record(z.string(), z.unknown())

const answer = z.object({
  Item: z.optional(rawItem),
  Items: z.optional(z.array(rawItem)),
  Attributes: z.optional(rawItem),
  Count: z.optional(z.number()),
  LastEvaluatedKey: z.optional(rawItem),
  Responses: z.optional(z.array(z.object({ Item: z.optional(rawItem) }))),
})

/** The physical name of a table. Asked for at each use: a process knows only the tables that it was granted. */
export function tableName(context: Pick<AdapterContext, 'env'>, table: TableName): string {
  return required(context, tables[table].variable)
}

/** Reads one item, consistently. */
export async function getItem(context: AdapterContext, TableName: string, Key: Key): Promise<Item | undefined> {
  const { Item } = await call(context, 'GetItem', { TableName, Key: toRaw({ ...Key }), ConsistentRead: true })
  return Item && fromRaw(Item)
}

/** Reads items of any tables as they are at one moment, in the order asked for. */
export async function transactGet(
  context: AdapterContext,
  items: readonly { readonly TableName: string; readonly Key: Key }[],
): Promise<(Item | undefined)[]> {
  const TransactItems = items.map(({ TableName, Key }) => ({ Get: { TableName, Key: toRaw({ ...Key }) } }))
  const { Responses = [] } = await call(context, 'TransactGetItems', { TransactItems })
  return Responses.map(({ Item }) => Item && fromRaw(Item))
}

/** What one page of a query or scan holds. `next`: where the following page starts, when this is not the last. */
export interface Page {
  readonly items: Item[]
  readonly count: number
  readonly next: Item | undefined
}

/** One page of what a query finds (1 MiB, or `Limit` items looked at), from the start or from behind a key. */
export function queryPage(context: AdapterContext, query: Query, start?: Item): Promise<Page> {
  return page(context, 'Query', query, start)
}

/** Every item that a query finds, page by page (1 MiB each). */
export function queryAll(context: AdapterContext, query: Query): Promise<Item[]> {
  return allPages(context, 'Query', query)
}

/** Every item of a table that passes the filter, page by page. */
export function scanAll(context: AdapterContext, query: Query): Promise<Item[]> {
  return allPages(context, 'Scan', query)
}

/** Writes a whole item. */
export async function putItem(context: AdapterContext, put: Put): Promise<void> {
  await call(context, 'PutItem', raw(put))
}

/** Changes attributes; answers the item afterwards where asked for. */
export async function updateItem(context: AdapterContext, update: Update): Promise<Item | undefined> {
  const { Attributes } = await call(context, 'UpdateItem', raw(update))
  return Attributes && fromRaw(Attributes)
}

/** Removes an item. */
export async function deleteItem(context: AdapterContext, removal: Delete): Promise<void> {
  await call(context, 'DeleteItem', raw(removal))
}

/** Does all parts or none. The token makes a repetition of the same request, whose answer was lost, do nothing more. */
export async function transactWrite(context: AdapterContext, parts: readonly Part[]): Promise<void> {
  const TransactItems = parts.map((part) =>
    Object.fromEntries(Object.entries(part).map(([kind, input]) => [kind, raw(input)])),
  )
  await call(context, 'TransactWriteItems', { TransactItems, ClientRequestToken: context.random.uuid() })
}

async function allPages(context: AdapterContext, action: string, query: Query): Promise<Item[]> {
  const found: Item[] = []
  let start: Item | undefined
  do {
    const { items, next } = await page(context, action, query, start)
    found.push(...items)
    start = next
  } while (start !== undefined)
  return found
}

async function page(context: AdapterContext, action: string, query: Query, start: Item | undefined): Promise<Page> {
  const ExclusiveStartKey = start && toRaw(start)
  const found = await call(context, action, { ...raw(query), ExclusiveStartKey })
  const { Items = [], Count: count = 0, LastEvaluatedKey: last } = found
  return { items: Items.map(fromRaw), count, next: last && fromRaw(last) }
}

function call(context: AdapterContext, action: string, input: object): Promise<z.infer<typeof answer>> {
  return callFor(context, action, input, answer)
}

/** Calls an action and reads its answer. An answer of another form is a fault of ours: `internal_error`. */
export async function callFor<T extends z.ZodMiniType>(
  context: AdapterContext,
  action: string,
  input: object,
  form: T,
): Promise<z.infer<T>> {
  const given = form.safeParse(await awsJson(context, services.dynamodb, action, input))
  if (given.success) return given.data
  throw new DomainError('internal_error', 'the store answered in another form', { cause: given.error })
}

/** An input with its records in DynamoDB's writing. */
function raw(input: Put | Update | Delete | Query): object {
  return {
    ...input,
    ...('Key' in input && { Key: toRaw({ ...input.Key }) }),
    ...('Item' in input && { Item: toRaw(input.Item) }),
    ...(input.ExpressionAttributeValues && { ExpressionAttributeValues: toRaw(input.ExpressionAttributeValues) }),
  }
}
