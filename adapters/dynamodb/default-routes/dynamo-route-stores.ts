import type { RouteStore } from '../../../core/default-routes/route-store.ts'
import type { CallflowStep, RouteHead } from '../../../core/default-routes/stored-route.ts'
import type { AdapterContext } from '../../context.ts'
import { READ_BATCH_ITEMS, readBatch } from '../batches.ts'
import { type Part, getItem, queryAll, tableName, transactWrite } from '../client.ts'
import { transacted } from '../errors.ts'
import { under } from '../items.ts'
import {
  type RouteKind,
  editionKey,
  headAttributes,
  readFlow,
  readRoute,
  readRouteSet,
  routeKey,
  routePartition,
  toRouteItem,
} from './route-item.ts'

/** Default routes in DynamoDB: one partition a domain, one item a route, and one for the edition of all of them. */
export function dynamoDefaultRouteStore(context: AdapterContext): RouteStore {
  return routeStore(context, 'default')
}

/** Public routes in DynamoDB, in partitions of their own. */
export function dynamoPublicRouteStore(context: AdapterContext): RouteStore {
  return routeStore(context, 'public')
}

function routeStore(context: AdapterContext, kind: RouteKind): RouteStore {
  const write = async (parts: readonly Part[]) => (await transacted(() => transactWrite(context, parts))) === undefined
  return {
    async list(domain) {
      const items = await queryAll(context, {
        TableName: tableName(context, 'routes'),
        ConsistentRead: true,
        ...under(routePartition(kind, domain)),
        ...projection(['sk', 'edition', ...headAttributes]),
      })
      const { heads, edition } = readRouteSet(items)
      // The items come in the order of their ids, which decides between routes of one order.
      return { routes: heads.sort((a, b) => a.order - b.order), edition }
    },
    async callflows(domain, ids) {
      const found = new Map<string, readonly CallflowStep[]>()
      const TableName = tableName(context, 'routes')
      for (let start = 0; start < ids.length; start += READ_BATCH_ITEMS) {
        const keys = ids.slice(start, start + READ_BATCH_ITEMS).map((id) => routeKey(kind, domain, id))
        for (const item of await readBatch(context, TableName, keys, projection(['id', 'callflow']))) {
          const flow = readFlow(item)
          if (flow) found.set(flow.id, flow.callflow)
        }
      }
      return found
    },
    async read(domain, id) {
      return readRoute(await getItem(context, tableName(context, 'routes'), routeKey(kind, domain, id)))
    },
    create: (route, edition) =>
      write([
        editionStep({ context, kind }, route.domain, edition),
        {
          Put: {
            TableName: tableName(context, 'routes'),
            Item: toRouteItem(kind, route),
            ConditionExpression: 'attribute_not_exists(pk)',
          },
        },
      ]),
    replace: (route) =>
      write([
        editionStep({ context, kind }, route.domain),
        {
          Put: {
            TableName: tableName(context, 'routes'),
            Item: toRouteItem(kind, route),
            ConditionExpression: 'revision = :previous',
            ExpressionAttributeValues: { ':previous': route.revision - 1 },
          },
        },
      ]),
    swap: (first, second, edition) =>
      write([
        editionStep({ context, kind }, first.domain, edition),
        orderStep({ context, kind }, first, second.order),
        orderStep({ context, kind }, second, first.order),
      ]),
    remove: ({ domain, id, revision }) =>
      write([
        {
          Delete: {
            TableName: tableName(context, 'routes'),
            Key: routeKey(kind, domain, id),
            ConditionExpression: 'revision = :revision',
            ExpressionAttributeValues: { ':revision': revision },
          },
        },
        editionStep({ context, kind }, domain),
      ]),
  }
}

interface OneKind {
  readonly context: AdapterContext
  readonly kind: RouteKind
}

function editionStep({ context, kind }: OneKind, domain: string, from?: number): Part {
  const condition =
    from === undefined ? {} : { ConditionExpression: from === 0 ? 'attribute_not_exists(pk)' : 'edition = :from' }
  return {
    Update: {
      TableName: tableName(context, 'routes'),
      Key: editionKey(kind, domain),
      UpdateExpression: 'ADD edition :one',
      ExpressionAttributeValues: { ':one': 1, ...(from !== undefined && from > 0 && { ':from': from }) },
      ...condition,
    },
  }
}

function orderStep({ context, kind }: OneKind, { domain, id }: RouteHead, order: number): Part {
  return {
    Update: {
      TableName: tableName(context, 'routes'),
      Key: routeKey(kind, domain, id),
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
