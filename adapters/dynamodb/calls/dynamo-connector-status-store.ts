import * as z from 'zod/mini'
import type { ConnectorStatusStore } from '../../../core/connectors/connector-status-store.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import type { Item } from '../client.ts'
import { type Update, putItem, queryAll, tableName, updateItem } from '../client.ts'
import { conditionally, numberOf } from '../errors.ts'
import { expirySeconds, parseItem, under } from '../items.ts'
import { joinKey } from '../key.ts'

const reportItem = z.object({
  connectorId: z.string(),
  startedAt: z.number(),
  reportedAt: z.number(),
  version: z.string(),
  engineConnected: z.boolean(),
  engineHeardAt: z.number(),
  engineId: z.string(),
  engineStatus: z.string(),
  commandsInFlight: z.number(),
  commandsWaiting: z.number(),
  commandsByDomain: z.optional(z.array(z.object({ domain: z.string(), inFlight: z.number(), waiting: z.number() }))),
  restarts: z.number(),
  engines: z.optional(
    z.array(
      z.object({
        name: z.string(),
        coreUuid: z.string(),
        connected: z.boolean(),
        heardAt: z.number(),
        status: z.string(),
        channels: z.optional(z.number()),
        hasGatewayTls: z.optional(z.boolean()),
      }),
    ),
  ),
  eventLinks: z.optional(
    z.array(
      z.object({
        engine: z.string(),
        last: z.object({ coreUuid: z.string(), sequence: z.string() }),
        upSince: z.number(),
        lostAt: z.optional(z.number()),
        handedOverTo: z.optional(z.number()),
        keptTo: z.optional(z.number()),
      }),
    ),
  ),
  handedOverTo: z.optional(z.number()),
  keptTo: z.optional(z.number()),
  spool: z.optional(z.object({ owner: z.string(), taken: z.array(z.string()), left: z.optional(z.number()) })),
  stoppedAt: z.optional(z.number()),
})

const waitItem = z.object({ stage: z.string(), ageMs: z.number(), at: z.number() })

/** Reports of connectors in DynamoDB: a handful of items, of which each connector rewrites its own. */
export function dynamoConnectorStatusStore(context: AdapterContext): ConnectorStatusStore {
  return {
    async report(report) {
      await conditionally(() =>
        putItem(context, {
          TableName: tableName(context, 'connectors'),
          Item: {
            pk: 'reports',
            sk: joinKey(report.connectorId),
            ...report,
            expiresAt: expirySeconds(keptUntil.connectorReport(report)),
          },
          ConditionExpression: 'attribute_not_exists(pk) OR reportedAt <= :reportedAt',
          ExpressionAttributeValues: { ':reportedAt': report.reportedAt },
        }),
      )
    },
    async list(since) {
      const TableName = tableName(context, 'connectors')
      const items = await queryAll(context, { TableName, ConsistentRead: true, ...under('reports') })
      const reports = items.flatMap((item) => parseItem(reportItem, item) ?? [])
      return reports.filter((report) => report.reportedAt >= since)
    },
    noteWait: (wait) =>
      putItem(context, {
        TableName: tableName(context, 'connectors'),
        Item: { pk: 'waits', sk: joinKey(wait.stage), ...wait, expiresAt: expirySeconds(keptUntil.stageWait(wait)) },
      }),
    async listWaits(since) {
      const TableName = tableName(context, 'connectors')
      const items = await queryAll(context, { TableName, ConsistentRead: true, ...under('waits') })
      return items.flatMap((item) => parseItem(waitItem, item) ?? []).filter(({ at }) => at >= since)
    },
    async countStart() {
      // A count whose answer was lost and that is tried again finds its own mark.
      const update: Update = {
        TableName: tableName(context, 'connectors'),
        Key: { pk: 'starts', sk: 'starts' },
        UpdateExpression: 'SET startId = :id ADD starts :one',
        ConditionExpression: 'attribute_not_exists(startId) OR startId <> :id',
        ExpressionAttributeValues: { ':one': 1, ':id': context.random.uuid() },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }
      let counted: Item | undefined
      const result = await conditionally(async () => {
        counted = await updateItem(context, update)
      })
      return (numberOf(result.done ? counted : result.stored, 'starts') ?? 1) - 1
    },
  }
}
