import { default as middy } from '@middy/core'
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { Log } from '../adapters/log/logger.ts'
import type { Worker } from '../contracts/workers.ts'
import type { ConnectorStatusStore } from '../core/connectors/connector-status-store.ts'
import type { PortName, PortsOf } from '../contracts/ports.ts'
import { type MakePort, cloudContext, cloudTools } from './endpoint/cloud.ts'
import { runInTime } from './endpoint/deadline.ts'
import type { EndpointDeps } from './endpoint/endpoint-parts.ts'
import { type Batch, type MessageOutcome, handleBatch, messageAge, partialFailures } from './worker/handle-batch.ts'
import { type MessageOf, type ReadingWorker, messageReading } from './worker/message-reading.ts'

/** The cloud adapter of each port that a worker needs: exactly those. */
export type WorkerAdaptersOf<W extends Worker> = { readonly [P in keyof W['needs'] & PortName]: MakePort<P> }

/** The dependencies of a worker in addition to its ports. */
export type WorkerDeps = Pick<EndpointDeps, 'clock' | 'random' | 'log' | 'settings'>

/**
 * Handles one message. An error returns the message to its queue, and later messages of its group wait for it. A
 * `refused` message is also returned until it is given up or the cause is repaired, but no other message waits for it.
 */
export type HandleMessage<W extends ReadingWorker> = (
  message: MessageOf<W>,
  ports: PortsOf<W['needs']>,
  tools: WorkerDeps,
) => Promise<void | 'refused'>

/** Handles a batch of its queue and returns the messages that must be redelivered. */
export type WorkerHandler = (
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<SQSBatchResponse>

/** A queue's handler over cloud adapters, and the same over any other. */
export interface CloudWorker<W extends ReadingWorker> extends WorkerHandler {
  readonly record: W
  readonly over: (ports: PortsOf<W['needs']>, tools: WorkerDeps) => WorkerHandler
}

/** Optional settings of a worker. */
export interface WorkerOptions<W extends ReadingWorker> {
  /** Returns a set of ports for each batch, whose messages then share their work. */
  readonly portsOfBatch?: (ports: PortsOf<W['needs']>) => PortsOf<W['needs']>
}

/**
 * Creates the handler of a queue over given ports. Each message is parsed by the queue's schema and handled alone.
 * Failed messages are redelivered together with the later messages of their order key. When the function's time runs
 * out, all unfinished messages are redelivered.
 */
export function createWorker<const W extends ReadingWorker>(
  record: W,
  ports: PortsOf<W['needs']>,
  handle: HandleMessage<W>,
  tools: WorkerDeps,
  { portsOfBatch = (same) => same }: WorkerOptions<W> = {},
): WorkerHandler {
  const handleAll = async ({ messages, done }: Batch<MessageOf<W>>) => {
    const own = portsOfBatch(ports)
    await handleBatch(messages, async ({ messageId, content }) => {
      if (content === undefined) return 'unreadable'
      const bound = tools.log.with({ messageId, requestId: requestOf(content) })
      const end = await handleContent(bound, (log) => handle(content, own, { ...tools, log }))
      if (end === 'done') done.add(messageId)
      return end
    })
  }
  return handlerOf(record, { ports, tools }, handleAll)
}

/**
 * Handles the messages of a batch together, and calls `settle` for each that has ended: with the reason for its
 * redelivery, or nothing if it is done. If the function's time runs out, the messages that are not settled are
 * redelivered. Messages of one group are in their original order. `receiptOf` returns the receipt that removes a
 * message from its queue.
 */
export type HandleMessages<W extends ReadingWorker> = (
  messages: readonly MessageOf<W>[],
  settle: (message: object, problem?: unknown) => void,
  receiptOf: (message: object) => string,
) => Promise<void>

/** Creates the handler of batches, once for all batches of a process. */
export type MakeHandleMessages<W extends ReadingWorker> = (
  ports: PortsOf<W['needs']>,
  tools: WorkerDeps,
) => HandleMessages<W>

function createBatchWorker<const W extends ReadingWorker>(
  record: W,
  ports: PortsOf<W['needs']>,
  make: MakeHandleMessages<W>,
  tools: WorkerDeps,
): WorkerHandler {
  const handle = make(ports, tools)
  return handlerOf(record, { ports, tools }, async ({ messages, done }: Batch<MessageOf<W>>) => {
    const readable = messages.flatMap(({ content }) => content ?? [])
    if (readable.length === 0) return
    const find = (message: object) => {
      const found = messages.find(({ content }) => content === message)
      if (found === undefined) throw new TypeError('a message was settled that is not in the batch')
      return found
    }
    const settle = (message: object, problem?: unknown) => {
      const { messageId } = find(message)
      if (problem === undefined) done.add(messageId)
      else tools.log.with({ messageId, requestId: requestOf(message) }).error('message not handled', problem)
    }
    await handle(readable, settle, (message) => find(message).receipt)
  })
}

function handlerOf<const W extends ReadingWorker>(
  record: W,
  { ports, tools }: { readonly ports: object; readonly tools: WorkerDeps },
  handleAll: (batch: Batch<MessageOf<W>>) => Promise<void>,
): WorkerHandler {
  const { connectorStatus } = ports as { readonly connectorStatus?: Pick<ConnectorStatusStore, 'noteWait'> }
  const note = async (ageMs: number, at: number) => {
    if (connectorStatus !== undefined) await connectorStatus.noteWait({ stage: record.name, ageMs, at })
  }
  // Neither middy's nor Powertools' batch support fits: both settle all messages at once, or stop at the first failure
  // of any group. Here the messages of one key wait for each other and other keys go on.
  const run = middy<Batch<MessageOf<W>>, SQSBatchResponse | void>({ timeoutEarlyInMillis: 0 })
    .use(partialFailures(tools.log))
    .use(messageReading(record, tools.log))
    .use(messageAge(tools.clock, tools.log, note))
    .handler((batch, context) => runInTime(context, tools.clock, () => handleAll(batch)))
  return async (event, { getRemainingTimeInMillis }) => {
    const batch = { records: event.Records, messages: [], done: new Set<string>() }
    // The step of partial failures answers, not the handler.
    return (await run(batch, { getRemainingTimeInMillis } as Context)) as SQSBatchResponse
  }
}

/** Returns the handler of a queue over cloud adapters, made from the process's environment at the first batch. */
export function worker<const W extends ReadingWorker>(
  record: W,
  adapters: WorkerAdaptersOf<W>,
  handle: HandleMessage<W>,
  options: WorkerOptions<W> = {},
): CloudWorker<W> {
  return cloudWorker(record, adapters, (ports, tools) => createWorker(record, ports, handle, tools, options))
}

/** Returns the handler of a queue whose batches are handled together, like {@link worker}. */
export function batchWorker<const W extends ReadingWorker>(
  record: W,
  adapters: WorkerAdaptersOf<W>,
  make: MakeHandleMessages<W>,
): CloudWorker<W> {
  return cloudWorker(record, adapters, (ports, tools) => createBatchWorker(record, ports, make, tools))
}

function cloudWorker<const W extends ReadingWorker>(
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

function requestOf(message: object): string | undefined {
  return 'requestId' in message && typeof message.requestId === 'string' ? message.requestId : undefined
}

async function handleContent(log: Log, handle: (log: Log) => Promise<void | 'refused'>): Promise<MessageOutcome> {
  try {
    return (await handle(log)) === 'refused' ? 'unreadable' : 'done'
  } catch (error) {
    log.error('message not handled', error)
    return 'failed'
  }
}
