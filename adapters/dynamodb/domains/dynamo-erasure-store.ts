import * as z from 'zod/mini'
import {
  type ErasedMark,
  type ErasureJob,
  type ErasureKey,
  type ErasureStore,
  erasureSteps,
} from '../../../core/erasures/erasure.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { putBatch, readBatch } from '../batches.ts'
import { getItem, putItem, tableName } from '../client.ts'
import { conditionally } from '../errors.ts'
import { expirySeconds, parseItem, putNew, unexpired } from '../items.ts'
import { joinKey } from '../key.ts'

const erasureItem = z.object({
  domain: z.string(),
  id: z.string(),
  createdAt: z.number(),
  since: z.number(),
  party: z.optional(
    z.object({
      presenceId: z.optional(z.string()),
      names: z.array(z.string()),
      country: z.record(z.string(), z.string()),
    }),
  ),
  state: z.enum(['queued', 'running', 'done']),
  step: z.enum(erasureSteps),
  after: z.optional(z.string()),
  counts: z.object({
    cdrs: z.number(),
    recordings: z.number(),
    held: z.number(),
    events: z.number(),
    deliveries: z.number(),
    exports: z.number(),
    voicemails: z.number(),
  }),
  version: z.number(),
})

const markItem = z.object({ domain: z.string(), uuid: z.string() })

/** Erasures in DynamoDB, one partition a domain, and marks under their own keys, which outlive the domain. */
export function dynamoErasureStore(context: AdapterContext): ErasureStore {
  const table = () => tableName(context, 'erasures')
  return {
    async create(job) {
      await putNew(context, table(), toItem(job))
    },
    read: async (place) => parseItem(erasureItem, unexpired(context, await getItem(context, table(), itemKey(place)))),
    async replace(job) {
      // A write whose answer was lost and that is tried again finds its own mark.
      const writeId = context.random.uuid()
      const put = {
        TableName: table(),
        Item: { ...toItem(job), writeId },
        ConditionExpression: 'version = :previous OR writeId = :own',
        ExpressionAttributeValues: { ':previous': job.version - 1, ':own': writeId },
      }
      return (await conditionally(() => putItem(context, put))).done
    },
    async mark(domain, uuids) {
      const expiresAt = expirySeconds(keptUntil.erasedMark(context.clock.now()))
      const items = uuids.map((uuid) => ({ ...markKey({ domain, uuid }), domain, uuid, expiresAt }))
      await putBatch(context, table(), items)
    },
    async listMarked(legs) {
      const items = await readBatch(context, table(), legs.map(markKey), {})
      return items.flatMap((item) => parseItem(markItem, unexpired(context, item)) ?? [])
    },
  }
}

function itemKey({ domain, id }: ErasureKey) {
  return { pk: joinKey(domain), sk: joinKey(id) }
}

function markKey({ domain, uuid }: ErasedMark) {
  return { pk: joinKey('erased', domain, uuid), sk: joinKey('mark') }
}

function toItem(job: ErasureJob) {
  return { ...itemKey(job), ...job, expiresAt: expirySeconds(keptUntil.erasure(job)) }
}
