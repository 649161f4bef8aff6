import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { type TableName, tables } from '../../contracts/resources.ts'
import { callService } from '../aws/call-service.ts'
import { dynamoClient } from '../aws/dynamodb-client.ts'
import { type AdapterContext, required } from '../context.ts'
import { retryOnTransactionConflict } from './errors.ts'

/** A record: names to texts, numbers, booleans, null, bytes, lists and records. */
export type Item = Readonly<Record<string, unknown>>

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

/** The items to find. */
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

/** Returns the physical name of a table. Asked for at each use: a process knows only the tables that it was granted. */
export function tableName(context: Pick<AdapterContext, 'env'>, table: TableName): string {
  return required(context, tables[table].variable)
}

/** Reads one item, consistently. */
export async function getItem(context: AdapterContext, TableName: string, Key: Key): Promise<Item | undefined> {
  const command = new GetCommand({ TableName, Key, ConsistentRead: true })
  return (await callStore(context, (store) => store.send(command))).Item
}

/** Reads items of any tables as they are at one moment, in the order asked for. */
export async function transactGet(
  context: AdapterContext,
  items: readonly { readonly TableName: string; readonly Key: Key }[],
): Promise<(Item | undefined)[]> {
  const command = new TransactGetCommand({ TransactItems: items.map((Get) => ({ Get })) })
  const { Responses = [] } = await callStore(context, (store) => store.send(command))
  return Responses.map(({ Item }) => Item)
}

/** One page of a query or scan. `next` is where the following page starts, when this is not the last. */
export interface Page {
  readonly items: Item[]
  readonly count: number
  readonly next: Item | undefined
}

/** Returns one page of a query (1 MiB, or `Limit` items looked at), from the start or after a key. */
export async function queryPage(context: AdapterContext, query: Query, start?: Item): Promise<Page> {
  const command = new QueryCommand({ ...query, ExclusiveStartKey: start })
  return pageOf(await callStore(context, (store) => store.send(command)))
}

/** Returns every item of a query, page by page (1 MiB each). */
export function queryAll(context: AdapterContext, query: Query): Promise<Item[]> {
  return allPages((start) => queryPage(context, query, start))
}

/** Returns every item of a table that passes the filter, page by page. */
export function scanAll(context: AdapterContext, query: Query): Promise<Item[]> {
  return allPages(async (start) => {
    const command = new ScanCommand({ ...query, ExclusiveStartKey: start })
    return pageOf(await callStore(context, (store) => store.send(command)))
  })
}

/** Writes a whole item; again after a pause while a transaction holds it, as each of the next two does. */
export async function putItem(context: AdapterContext, put: Put): Promise<void> {
  await retryOnTransactionConflict(() => callStore(context, (store) => store.send(new PutCommand(put))))
}

/** Changes attributes; returns the item afterwards where asked for. */
export async function updateItem(context: AdapterContext, update: Update): Promise<Item | undefined> {
  return (await retryOnTransactionConflict(() => callStore(context, (store) => store.send(new UpdateCommand(update)))))
    .Attributes
}

/** Removes an item. */
export async function deleteItem(context: AdapterContext, removal: Delete): Promise<void> {
  await retryOnTransactionConflict(() => callStore(context, (store) => store.send(new DeleteCommand(removal))))
}

/** Does all parts or none. The token makes a repetition of the same request, whose answer was lost, do nothing more. */
export async function transactWrite(context: AdapterContext, parts: readonly Part[]): Promise<void> {
  const command = new TransactWriteCommand({ TransactItems: [...parts], ClientRequestToken: context.random.uuid() })
  await callStore(context, (store) => store.send(command))
}

/** Calls the store; its errors come as {@link callService} translates them. */
export function callStore<T>(context: AdapterContext, send: (store: DynamoDBDocumentClient) => Promise<T>): Promise<T> {
  return callService('the store', () => send(dynamoClient(context)))
}

/** Returns the items of all pages, each read from where the one before ended. */
export async function allPages(read: (start: Item | undefined) => Promise<Page>): Promise<Item[]> {
  const found: Item[] = []
  let start: Item | undefined
  do {
    const { items, next } = await read(start)
    found.push(...items)
    start = next
  } while (start !== undefined)
  return found
}

interface FoundPage {
  readonly Items?: Item[] | undefined
  readonly Count?: number | undefined
  readonly LastEvaluatedKey?: Item | undefined
}

function pageOf({ Items = [], Count = 0, LastEvaluatedKey }: FoundPage): Page {
  return { items: Items, count: Count, next: LastEvaluatedKey }
}
