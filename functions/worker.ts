import { default as middy } from '@middy/core'
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { Log } from '../adapters/log/logger.ts'
import type { Worker } from '../contracts/workers.ts'
import type { PortName, PortsOf } from '../core/ports.ts'
import { type MakePort, cloudContext, cloudTools } from './endpoint/cloud.ts'
import { runInTime } from './endpoint/deadline.ts'
import type { EndpointTools } from './endpoint/tools.ts'
import type { Batch } from './worker/batch.ts'
import { type MessageEnd, handleBatch } from './worker/handle-batch.ts'
import { type MessageOf, messageReading } from './worker/message-reading.ts'
import { partialFailures } from './worker/partial-failures.ts'

/** The cloud adapter of each port that a worker needs: exactly those. */
export type WorkerAdaptersOf<W extends Worker> = { readonly [P in keyof W['needs'] & PortName]: MakePort<P> }

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

/** What a worker may want besides. */
export interface WorkerOptions<W extends Worker> {
  /** A set of ports for each batch, whose messages then share what they do. */
  readonly portsOfBatch?: (ports: PortsOf<W['needs']>) => PortsOf<W['needs']>
}

/**
 * Makes the handler of a queue, over given ports. Each message is read by the queue's schema and handled alone; failed
 * ones come again, and with them the later messages of their order key. When the function's time runs out, all that is
 * not done comes again.
 */
export function createWorker<const W extends Worker>(
  record: W,
  ports: PortsOf<W['needs']>,
  handle: HandleMessage<W>,
  tools: WorkerTools,
  { portsOfBatch = (same) => same }: WorkerOptions<W> = {},
): WorkerHandler {
  const handleAll = async ({ messages, done }: Batch<MessageOf<W>>) => {
    const own = portsOfBatch(ports)
    await handleBatch(messages, async ({ messageId, content }) => {
      if (content === undefined) return 'unreadable'
      const end = await handleContent(tools.log.with({ messageId }), (log) => handle(content, own, { ...tools, log }))
      if (end === 'done') done.add(messageId)
      return end
    })
  }
  return handlerOf(record, tools, handleAll)
}

/**
 * Handles the messages of a batch together. Returns for each, in their order, why it has to come again; nothing where it is
 * done. Messages of one group come in their order.
 */
export type HandleMessages<W extends Worker> = (messages: readonly MessageOf<W>[]) => Promise<readonly unknown[]>

/** Makes what handles batches, once for all batches of a process. */
export type MakeHandleMessages<W extends Worker> = (ports: PortsOf<W['needs']>, tools: WorkerTools) => HandleMessages<W>

/** Makes the handler of a queue whose batches are handled together, over given ports. */
function createBatchWorker<const W extends Worker>(
  record: W,
  ports: PortsOf<W['needs']>,
  make: MakeHandleMessages<W>,
  tools: WorkerTools,
): WorkerHandler {
  const handle = make(ports, tools)
  return handlerOf(record, tools, async ({ messages, done }: Batch<MessageOf<W>>) => {
    const readable = messages.flatMap(({ messageId, content }) =>
      content === undefined ? [] : [{ messageId, content }],
    )
    if (readable.length === 0) return
    const problems = await handle(readable.map(({ content }) => content))
    for (const [index, { messageId }] of readable.entries()) {
      const problem = problems[index]
      if (problem === undefined) done.add(messageId)
      else tools.log.with({ messageId }).error('message not handled', problem)
    }
  })
}

function handlerOf<const W extends Worker>(
  record: W,
  tools: WorkerTools,
  handleAll: (batch: Batch<MessageOf<W>>) => Promise<void>,
): WorkerHandler {
  // Neither middy's nor Powertools' batch support: both want all messages settled at once, or stop at the first failure of
  // any group; here the messages of one key wait for each other and other keys go on.
  const run = middy<Batch<MessageOf<W>>, SQSBatchResponse | void>({ timeoutEarlyInMillis: 0 })
    .use(partialFailures(tools.log))
    .use(messageReading(record, tools.log))
    .handler((batch, context) => runInTime(context, tools.clock, () => handleAll(batch)))
  return async (event, { getRemainingTimeInMillis }) => {
    const batch = { records: event.Records, messages: [], done: new Set<string>() }
    // The step of partial failures answers, not the handler.
    return (await run(batch, { getRemainingTimeInMillis } as Context)) as SQSBatchResponse
  }
}

/** The handler of a queue over cloud adapters, made from the process's environment at the first batch and kept. */
export function worker<const W extends Worker>(
  record: W,
  adapters: WorkerAdaptersOf<W>,
  handle: HandleMessage<W>,
  options: WorkerOptions<W> = {},
): CloudWorker<W> {
  return cloudWorker(record, adapters, (ports, tools) => createWorker(record, ports, handle, tools, options))
}

/** The same for a queue whose batches are handled together. */
export function batchWorker<const W extends Worker>(
  record: W,
  adapters: WorkerAdaptersOf<W>,
  make: MakeHandleMessages<W>,
): CloudWorker<W> {
  return cloudWorker(record, adapters, (ports, tools) => createBatchWorker(record, ports, make, tools))
}

function cloudWorker<const W extends Worker>(
  record: W,
  adapters: WorkerAdaptersOf<W>,
  over: CloudWorker<W>['over'],
): CloudWorker<W> {
  let handler: WorkerHandler | undefined
  const make = () => {
    const context = cloudContext()
    const made = Object.entries<MakePort<PortName>>(adapters).map(([name, adapter]) => [name, adapter(context)])
    return over(Object.fromEntries(made) as PortsOf<W['needs']>, cloudTools(context, record.name))
  }
  return Object.assign(
    async (event: SQSEvent, context: Parameters<WorkerHandler>[1]) => (handler ??= make())(event, context),
    { record, over },
  )
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
