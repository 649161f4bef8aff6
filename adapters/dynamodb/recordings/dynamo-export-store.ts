import * as z from 'zod/mini'
import {
  exportFormats,
  type ExportJob,
  type ExportKey,
  type ExportStore,
} from '../../../core/cdr/exports/export-job.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { type Item, deleteItem, getItem, putItem, queryAll, tableName } from '../client.ts'
import { conditionally } from '../errors.ts'
import { expirySeconds, parseItem, putNew, under, unexpired } from '../items.ts'
import { joinKey } from '../key.ts'

const sortValue = z.union([z.string(), z.number(), z.boolean(), z.null()])

const exportItem = z.object({
  domain: z.string(),
  id: z.string(),
  owner: z.string(),
  createdAt: z.number(),
  format: z.enum(exportFormats),
  /** Stored as JSON: a caller's request may nest deeper than the store allows, and use any names. */
  request: z.string(),
  presenceId: z.optional(z.string()),
  since: z.optional(z.number()),
  state: z.enum(['queued', 'running', 'done', 'failed']),
  progress: z.object({
    uploadId: z.optional(z.string()),
    parts: z.array(z.object({ number: z.number(), size: z.number(), sha256: z.string(), etag: z.string() })),
    rows: z.number(),
    after: z.optional(z.array(sortValue)),
  }),
  size: z.optional(z.number()),
  reason: z.optional(z.string()),
  version: z.number(),
})

const requestSchema = z.record(z.string(), z.unknown())

/** Exports of CDRs in DynamoDB, one partition a domain, read consistently. */
export function dynamoExportStore(context: AdapterContext): ExportStore {
  const table = () => tableName(context, 'exports')
  return {
    async create(job) {
      await putNew(context, table(), toItem(job))
    },
    read: async (place) => jobIn(context, await getItem(context, table(), itemKey(place))),
    async list(domain) {
      const query = { TableName: table(), ConsistentRead: true, ...under(joinKey(domain)) }
      return (await queryAll(context, query)).flatMap((item) => jobIn(context, item) ?? [])
    },
    async remove(place) {
      await deleteItem(context, { TableName: table(), Key: itemKey(place) })
    },
    async replace(job) {
      // A write whose answer was lost and that is tried again finds its own mark.
      const writeId = context.random.uuid()
      const result = await conditionally(() =>
        putItem(context, {
          TableName: table(),
          Item: { ...toItem(job), writeId },
          ConditionExpression: 'version = :previous OR writeId = :own',
          ExpressionAttributeValues: { ':previous': job.version - 1, ':own': writeId },
        }),
      )
      return result.done
    },
  }
}

function jobIn(context: AdapterContext, found: Item | undefined): ExportJob | undefined {
  const item = parseItem(exportItem, unexpired(context, found))
  return item && { ...item, request: requestSchema.parse(JSON.parse(item.request)) }
}

function itemKey({ domain, id }: ExportKey) {
  return { pk: joinKey(domain), sk: id }
}

function toItem(job: ExportJob) {
  return {
    ...itemKey(job),
    ...job,
    request: JSON.stringify(job.request),
    expiresAt: expirySeconds(keptUntil.exportJob(job)),
  }
}
