// oxlint-disable-next-line import/no-named-as-default -- its types know the default export only
import middy from '@middy/core'
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type * as z from 'zod/mini'
import type { Log } from '../adapters/log/logger.ts'
import { withTimeLimit } from '../adapters/time-limit.ts'
import { queues } from '../contracts/resources.ts'
import type { Worker } from '../contracts/workers.ts'
import type { PortName, PortsOf } from '../core/ports.ts'
import { type MakePort, cloudContext, cloudTools } from './endpoint/cloud.ts'
import { late, withDeadline } from './endpoint/deadline.ts'
import type { EndpointTools } from './endpoint/tools.ts'
import { type BatchMessage, type MessageEnd, handleBatch } from './worker/handle-batch.ts'
import { messageSchemas } from './worker/message-schemas.ts'

/** The cloud adapter of each port that a worker needs: exactly those. */
export type WorkerAdaptersOf<W extends Worker> = { readonly [P in keyof W['needs'] & PortName]: MakePort<P> }

/** What the messages of a worker's queue hold. */
type MessageOf<W extends Worker> = z.output<(typeof messageSchemas)[W['queue']]>

/** What a worker works with besides its ports. */
export type WorkerTools = Pick<EndpointTools, 'clock' | 'random' | 'log' | 'settings'>

/**
 * Handles one message. What it throws sends the message back to its queue, and those behind it in its group wait for it.
 * A `refused` one comes again, too, until it is given up or what refuses it was put right; nobody waits for that.
 */
export type HandleMessage<W extends Worker> = (
  message: MessageOf<W>,
  ports: PortsOf<W['needs']>,
  tools: WorkerTools,
) => Promise<void | 'refused'>

/** Handles a batch of its queue and answers which messages must come again. */
export type WorkerHandler = (
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<SQSBatchResponse>

/** A queue's handler over cloud adapters, and the same over any other. */
export interface CloudWorker<W extends Worker> extends WorkerHandler {
  readonly record: W
  readonly over: (ports: PortsOf<W['needs']>, tools: WorkerTools) => WorkerHandler
}

/** A batch that would outlive its function is ended this much earlier, so that what is done stays done. */
const reserveMs = 500

/** What a worker may want besides. */
export interface WorkerOptions<W extends Worker> {
  /** A set of ports for each batch, whose messages then share what they do. */
  readonly portsOfBatch?: (ports: PortsOf<W['needs']>) => PortsOf<W['needs']>
  /** What keeps its order on a FIFO queue, where that is less than a whole group: messages of one key. */
  readonly orderKeyOf?: (message: MessageOf<W>) => string
}

/** A batch on its way: which messages are over for good. */
interface Batch {
  readonly records: readonly SQSRecord[]
  readonly done: Set<string>
}

/**
 * The handler of a queue, over given ports. Each message is read by the queue's schema and handled alone; failed ones
 * come again, and on a FIFO queue those behind them in their group too. When the function's time runs out, all that is
 * not done comes again.
 */
export function createWorker<const W extends Worker>(
  record: W,
  ports: PortsOf<W['needs']>,
  handle: HandleMessage<W>,
  tools: WorkerTools,
  { portsOfBatch = (same) => same, orderKeyOf }: WorkerOptions<W> = {},
): WorkerHandler {
  const handleOne = async ({ done }: Batch, message: ReadMessage<W>, own: PortsOf<W['needs']>) => {
    if (message.content === undefined) return 'unreadable'
    const { messageId, content } = message
    const end = await handleContent(tools.log.with({ messageId }), (log) => handle(content, own, { ...tools, log }))
    if (end === 'done') done.add(messageId)
    return end
  }
  const run = middy<Batch, SQSBatchResponse>(async (batch: Batch, context: Context) => {
    const limitMs = context.getRemainingTimeInMillis() - reserveMs
    const limit = { until: tools.clock.now() + limitMs, clock: tools.clock }
    const own = portsOfBatch(ports)
    const messages = batch.records.map((message) => read(record, message, tools.log, orderKeyOf))
    const work = withTimeLimit(limit, () => handleBatch(messages, async (message) => handleOne(batch, message, own)))
    const failed = await withDeadline(work, limitMs)
    if (failed === late) throw new Error('the time of the function ran out')
    return response(failed)
  }).onError(({ event: { records, done }, error }) => {
    tools.log.error('batch ended early', error)
    return response(records.map(({ messageId }) => messageId).filter((id) => !done.has(id)))
  })
  return async (event, { getRemainingTimeInMillis }) =>
    run({ records: event.Records, done: new Set() }, { getRemainingTimeInMillis } as Context)
}

/** The handler of a queue over cloud adapters, made from the process's environment at the first batch and kept. */
export function worker<const W extends Worker>(
  record: W,
  adapters: WorkerAdaptersOf<W>,
  handle: HandleMessage<W>,
  options: WorkerOptions<W> = {},
): CloudWorker<W> {
  let handler: WorkerHandler | undefined
  const make = () => {
    const context = cloudContext()
    const made = Object.entries<MakePort<PortName>>(adapters).map(([name, adapter]) => [name, adapter(context)])
    const ports = Object.fromEntries(made) as PortsOf<W['needs']>
    return createWorker(record, ports, handle, cloudTools(context, record.name), options)
  }
  return Object.assign(
    async (event: SQSEvent, context: Parameters<WorkerHandler>[1]) => (handler ??= make())(event, context),
    {
      record,
      over: (ports: PortsOf<W['needs']>, tools: WorkerTools) => createWorker(record, ports, handle, tools, options),
    },
  )
}

/** A message of a batch, and what it holds; nothing where that cannot be read. */
interface ReadMessage<W extends Worker> extends BatchMessage {
  readonly content: MessageOf<W> | undefined
}

/** Reads one message by the schema of its queue. Its content is never logged: a delivery or event holds what tenants own. */
function read<W extends Worker>(
  { queue }: W,
  { body, messageId, attributes }: SQSRecord,
  log: Log,
  orderKeyOf: ((message: MessageOf<W>) => string) | undefined,
): ReadMessage<W> {
  const group = queues[queue].fifo ? (attributes.MessageGroupId ?? messageId) : messageId
  const parsed = messageSchemas[queue].safeParse(parse(body))
  if (!parsed.success) {
    const paths = parsed.error.issues.map(({ path }) => path.map(String).join('.'))
    log.with({ messageId }).error('message not readable', undefined, {
      paths: paths.slice(0, 5).join(', '),
      bytes: Buffer.byteLength(body),
    })
    return { messageId, orderKey: group, content: undefined }
  }
  const content = parsed.data as MessageOf<W>
  return { messageId, orderKey: orderKeyOf?.(content) ?? group, content }
}

/** Handles one message that was read. */
async function handleContent(log: Log, handle: (log: Log) => Promise<void | 'refused'>): Promise<MessageEnd> {
  try {
    return (await handle(log)) === 'refused' ? 'unreadable' : 'done'
  } catch (error) {
    log.error('message not handled', error)
    return 'failed'
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function response(failed: readonly string[]): SQSBatchResponse {
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) }
}
