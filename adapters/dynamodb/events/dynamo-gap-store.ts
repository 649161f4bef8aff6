import * as z from 'zod/mini'
import type { GapStore } from '../../../core/events/gap-store.ts'
import type { RecordedGap } from '../../../core/events/gap.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import type { Item } from '../client.ts'
import { type Query, queryPage, tableName } from '../client.ts'
import { expirySeconds, parseItem, putNew, unexpired } from '../items.ts'
import { joinKey, numberPart } from '../key.ts'

const position = z.object({ coreUuid: z.string(), sequence: z.string() })

const gapItem = z.object({
  id: z.string(),
  connectorId: z.string(),
  recordedBy: z.string(),
  engine: z.string(),
  reason: z.string(),
  from: z.number(),
  to: z.number(),
  before: position,
  after: position,
  dropped: z.optional(z.object({ class: z.string(), count: z.number() })),
  recordedAt: z.optional(z.number()),
})

/** One partition in the order of beginnings: gaps are rare, and are read a span at a time. */
const PARTITION = 'gaps'

/** Sorts after every key of a gap: those begin with digits. */
const END = '~'

/** Stores gaps in DynamoDB. A repetition by the recorder of a gap finds its own mark and still counts as recorded. */
export function dynamoGapStore(context: AdapterContext): GapStore {
  return {
    record: (gap) =>
      putNew(
        context,
        tableName(context, 'gaps'),
        {
          pk: PARTITION,
          sk: joinKey(numberPart(gap.from), gap.id),
          ...gap,
          recordedAt: context.clock.now(),
          expiresAt: expirySeconds(keptUntil.gap(gap)),
        },
        gap.recordedBy,
      ),
    async list(since, limit = Number.POSITIVE_INFINITY) {
      const query: Query = {
        TableName: tableName(context, 'gaps'),
        ConsistentRead: true,
        ScanIndexForward: false,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: { ':pk': PARTITION, ':from': numberPart(Math.max(0, since)), ':to': END },
        ...(Number.isFinite(limit) ? { Limit: limit } : {}),
      }
      const newestFirst: RecordedGap[] = []
      let start: Item | undefined
      do {
        const { items, next } = await queryPage(context, query, start)
        newestFirst.push(...items.flatMap((item) => recordedGap(unexpired(context, item)) ?? []))
        start = next
      } while (start !== undefined && newestFirst.length < limit)
      return newestFirst.slice(0, limit).toReversed()
    },
  }
}

function recordedGap(item: Item | undefined): RecordedGap | undefined {
  const gap = parseItem(gapItem, item)
  return gap && { ...gap, recordedAt: gap.recordedAt ?? gap.to }
}
