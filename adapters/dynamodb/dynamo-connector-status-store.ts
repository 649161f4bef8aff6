import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod/mini'
import type { ConnectorStatusStore } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { keptUntil } from '../retention.ts'
import { documentClient, tableName } from './client.ts'
import { conditionally, guarded } from './errors.ts'
import { expirySeconds, parseItem, queryAll, under } from './items.ts'
import { joinKey } from './key.ts'

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
  restarts: z.number(),
})

const startsItem = z.object({ starts: z.number() })

/** Reports of connectors in DynamoDB: a handful of items, of which each connector rewrites its own. */
export function dynamoConnectorStatusStore(context: AdapterContext): ConnectorStatusStore {
  const client = documentClient(context)
  return {
    async report(report) {
      await conditionally(() =>
        client.send(
          new PutCommand({
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
        ),
      )
    },
    async list(since) {
      const TableName = tableName(context, 'connectors')
      const items = await queryAll(client, { TableName, ConsistentRead: true, ...under('reports') })
      const reports = items.flatMap((item) => parseItem(reportItem, item) ?? [])
      return reports.filter((report) => report.reportedAt >= since)
    },
    async countStart() {
      const counted = await guarded(() =>
        client.send(
          new UpdateCommand({
            TableName: tableName(context, 'connectors'),
            Key: { pk: 'starts', sk: 'starts' },
            UpdateExpression: 'ADD starts :one',
            ExpressionAttributeValues: { ':one': 1 },
            ReturnValues: 'ALL_NEW',
          }),
        ),
      )
      return (parseItem(startsItem, counted.Attributes)?.starts ?? 1) - 1
    },
  }
}
