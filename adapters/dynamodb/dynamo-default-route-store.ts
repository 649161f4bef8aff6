import {
  BatchGetCommand,
  GetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb'
import { DomainError } from '../../core/errors.ts'
import type { CallflowStep, RouteHead } from '../../core/model.ts'
import type { DefaultRouteStore } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { documentClient, tableName } from './client.ts'
import { guarded, pause, transacted } from './errors.ts'
import { type Item, queryAll, under } from './items.ts'
import {
  editionKey,
  headAttributes,
  readFlow,
  readRoute,
  readRouteSet,
  routeKey,
  routePartition,
  toRouteItem,
} from './route-item.ts'

type Part = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** DynamoDB reads at most 100 items and 16 MB in a batch; what it leaves out is asked for again. */
const BATCH_KEYS = 100
/** Waits between tries of a batch of which the store left some unread. */
const BUSY_WAITS_MS = [0, 50, 100, 200, 400, 800]

/** Default routes in DynamoDB: one partition a domain, one item a route, and one for the edition of all of them. */
export function dynamoDefaultRouteStore(context: AdapterContext): DefaultRouteStore {
  const client = documentClient(context)
  const write = async (parts: Part[]) =>
    (await transacted(() => client.send(new TransactWriteCommand({ TransactItems: parts })))) === undefined
  return {
    async list(domain) {
      const items = await queryAll(client, {
        TableName: tableName(context, 'routes'),
        ConsistentRead: true,
        ...under(routePartition(domain)),
        ...projection(['sk', 'edition', ...headAttributes]),
      })
      const { heads, edition } = readRouteSet(items)
      // The items come in the order of their ids, which decides between routes of one order.
      return { routes: heads.sort((a, b) => a.order - b.order), edition }
    },
    async callflows(domain, ids) {
      const found = new Map<string, readonly CallflowStep[]>()
      for (let start = 0; start < ids.length; start += BATCH_KEYS) {
        const keys = ids.slice(start, start + BATCH_KEYS).map((id) => routeKey(domain, id))
        for (const item of await readBatch(context, keys)) {
          const flow = readFlow(item)
          if (flow) found.set(flow.id, flow.callflow)
        }
      }
      return found
    },
    async read(domain, id) {
      const TableName = tableName(context, 'routes')
      const Key = routeKey(domain, id)
      const found = await guarded(() => client.send(new GetCommand({ TableName, Key, ConsistentRead: true })))
      return readRoute(found.Item)
    },
    create: (route, edition) =>
      write([
        editionStep(context, route.domain, edition),
        {
          Put: {
            TableName: tableName(context, 'routes'),
            Item: toRouteItem(route),
            ConditionExpression: 'attribute_not_exists(pk)',
          },
        },
      ]),
    replace: (route) =>
      write([
        editionStep(context, route.domain),
        {
          Put: {
            TableName: tableName(context, 'routes'),
            Item: toRouteItem(route),
            ConditionExpression: 'revision = :previous',
            ExpressionAttributeValues: { ':previous': route.revision - 1 },
          },
        },
      ]),
    swap: (first, second, edition) =>
      write([
        editionStep(context, first.domain, edition),
        orderStep(context, first, second.order),
        orderStep(context, second, first.order),
      ]),
    remove: ({ domain, id, revision }) =>
      write([
        {
          Delete: {
            TableName: tableName(context, 'routes'),
            Key: routeKey(domain, id),
            ConditionExpression: 'revision = :revision',
            ExpressionAttributeValues: { ':revision': revision },
          },
        },
        editionStep(context, domain),
      ]),
  }
}

/** Raises the edition; where one is given, only from that. */
function editionStep(context: AdapterContext, domain: string, from?: number): Part {
  const condition =
    from === undefined ? {} : { ConditionExpression: from === 0 ? 'attribute_not_exists(pk)' : 'edition = :from' }
  return {
    Update: {
      TableName: tableName(context, 'routes'),
      Key: editionKey(domain),
      UpdateExpression: 'ADD edition :one',
      ExpressionAttributeValues: { ':one': 1, ...(from !== undefined && from > 0 && { ':from': from }) },
      ...condition,
    },
  }
}

function orderStep(context: AdapterContext, { domain, id }: RouteHead, order: number): Part {
  return {
    Update: {
      TableName: tableName(context, 'routes'),
      Key: routeKey(domain, id),
      UpdateExpression: 'SET #order = :order ADD revision :one',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#order': 'order' },
      ExpressionAttributeValues: { ':order': order, ':one': 1 },
    },
  }
}

function projection(attributes: readonly string[]) {
  return {
    ProjectionExpression: attributes.map((name) => `#${name}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(attributes.map((name) => [`#${name}`, name])),
  }
}

async function readBatch(context: AdapterContext, keys: readonly Item[]): Promise<Item[]> {
  const table = tableName(context, 'routes')
  const client = documentClient(context)
  const items: Item[] = []
  let left = [...keys]
  for (const waitMs of BUSY_WAITS_MS) {
    if (left.length === 0) return items
    await pause(waitMs)
    const RequestItems = {
      [table]: { Keys: left, ConsistentRead: true, ...projection(['id', 'callflow']) },
    }
    const page = await guarded(() => client.send(new BatchGetCommand({ RequestItems })))
    items.push(...(page.Responses?.[table] ?? []))
    left = page.UnprocessedKeys?.[table]?.Keys ?? []
  }
  if (left.length === 0) return items
  throw new DomainError('store_unavailable', 'the store is busy, try again', { retryAfterSeconds: 2 })
}
