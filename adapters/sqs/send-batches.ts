import { SendMessageBatchCommand, type SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs'
import type { QueueName } from '../../contracts/resources.ts'
import type { AdapterContext } from '../context.ts'
import { callQueue, queueUrl, traceHeader } from './client.ts'

/** One message on its way to a queue. */
export interface QueueEntry {
  readonly id: string
  readonly body: string
  readonly group: string
  /** Entries that share this keep their order; those of a group do where left out. */
  readonly orderKey?: string
  /** Only for FIFO queues. */
  readonly deduplicationId?: string
  /** Only for standard queues; 0 to 900. */
  readonly delaySeconds?: number
}

/** SQS takes at most ten messages a call, together at most 1 MiB (raised from 256 KiB in August 2025). */
const BATCH_ENTRIES = 10
const BATCH_BYTES = 1024 * 1024

/**
 * Sends entries in order and answers the ids of those that the queue did not take. With `ordered`, no later batch holds
 * an entry whose order key (or group) is that of one that failed. Fails only when the very first batch does: then
 * nothing was taken.
 */
export async function sendBatches(
  context: AdapterContext,
  queue: QueueName,
  entries: readonly QueueEntry[],
  { ordered }: { ordered: boolean },
): Promise<string[]> {
  const failed = new Set<QueueEntry>()
  const blocked = new Set<string>()
  for (const batch of batches(entries)) {
    const sendable = batch.filter((entry) => !blocked.has(orderKeyOf(entry)))
    const refused = sendable.length === 0 ? [] : await sendBatch(context, queue, sendable, batch[0] === entries[0])
    for (const entry of [...batch.filter((entry) => !sendable.includes(entry)), ...refused]) failed.add(entry)
    if (ordered) for (const entry of refused) blocked.add(orderKeyOf(entry))
  }
  return entries.filter((entry) => failed.has(entry)).map((entry) => entry.id)
}

function orderKeyOf({ orderKey, group }: QueueEntry): string {
  return orderKey ?? group
}

async function sendBatch(
  context: AdapterContext,
  queue: QueueName,
  batch: readonly QueueEntry[],
  isFirst: boolean,
): Promise<QueueEntry[]> {
  const trace = traceHeader(context)
  const Entries = batch.map((entry, index) => ({ ...toEntry(entry, index), ...trace }))
  const command = new SendMessageBatchCommand({ QueueUrl: queueUrl(context, queue), Entries })
  try {
    const { Successful = [] } = await callQueue(context, (client) => client.send(command))
    const taken = new Set(Successful.map(({ Id }) => Id))
    return batch.filter((_entry, index) => !taken.has(String(index)))
  } catch (error) {
    if (isFirst) throw error
    return [...batch]
  }
}

function toEntry(entry: QueueEntry, index: number): SendMessageBatchRequestEntry {
  return {
    Id: String(index),
    MessageBody: entry.body,
    MessageGroupId: entry.group,
    ...(entry.deduplicationId === undefined ? {} : { MessageDeduplicationId: entry.deduplicationId }),
    ...(entry.delaySeconds === undefined ? {} : { DelaySeconds: entry.delaySeconds }),
  }
}

function batches(entries: readonly QueueEntry[]): QueueEntry[][] {
  const cut: QueueEntry[][] = []
  let bytes = 0
  for (const entry of entries) {
    const size = Buffer.byteLength(entry.body)
    const current = cut.at(-1)
    if (current === undefined || current.length === BATCH_ENTRIES || bytes + size > BATCH_BYTES) {
      cut.push([entry])
      bytes = size
    } else {
      current.push(entry)
      bytes += size
    }
  }
  return cut
}
