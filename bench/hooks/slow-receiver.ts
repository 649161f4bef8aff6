import { setTimeout as pause } from 'node:timers/promises'
import { deliver as delivering, deliverSlowly as deliveringSlowly } from '../../contracts/workers.ts'
import type { Hook } from '../../core/hooks/definition/hook.ts'
import { handler as deliver } from '../../functions/hooks/deliver.ts'
import { handler as deliverSlowly } from '../../functions/hooks/deliver-slowly.ts'
import { maxConcurrency as laptopConcurrency } from '../../local/queues/start-mappings.ts'
import { doneMessages } from '../../local/queues/queue-event.ts'
import { Poller } from '../../local/queues/poller.ts'
import type { WorkerHandler } from '../../functions/worker.ts'
import { type Figures, percentile } from '../figures.ts'
import { type DeliveryBench, benchDelivery, benchEvent, benchHook, deliveryBench } from './deliveries.ts'
import { MemoryQueue } from './memory-queue.ts'
import { type BenchSink, openSink } from './sink.ts'

const fastReceivers = 1000
/** One delivery to a fast receiver each 20 ms, and one in ten more to the slow one. */
const everyMs = 20
const slowEvery = 10
const slowMs = 14_000

/**
 * How long deliveries to a thousand fast receivers take from the queue to the end of their attempt, with and without
 * one receiver that takes 14 s: through the pollers of a laptop, with its concurrency, a fifth of that in the cloud.
 * Nothing knows at first that the slow one is slow.
 */
export async function benchSlowReceiver(): Promise<Figures> {
  const sinks = { fast: await openSink(), slow: await openSink() }
  try {
    const alone = await fastLatencies(sinks, false)
    const loaded = await fastLatencies(sinks, true)
    const [aloneP99, withSlowP99] = [percentile(alone, 0.99), percentile(loaded, 0.99)]
    return { fastAloneP99Ms: aloneP99, fastWithSlowP99Ms: withSlowP99, slowReceiverP99Ratio: withSlowP99 / aloneP99 }
  } finally {
    sinks.fast.close()
    sinks.slow.close()
  }
}

interface Sinks {
  readonly fast: BenchSink
  readonly slow: BenchSink
}

/** Milliseconds from the queue to the record of its success, for each delivery to a fast receiver. */
async function fastLatencies(sinks: Sinks, withSlow: boolean): Promise<number[]> {
  const parts = deliveryBench()
  const slow = withSlow ? await benchHook(parts, sinks.slow.urlAfter(slowMs), 'slow.example.com') : undefined
  const hooks: Hook[] = []
  for (let made = 0; made < fastReceivers; made += 1) {
    hooks.push(await benchHook(parts, sinks.fast.urlAfter(0), `domain-${made % 10}.example.com`))
  }
  const startedAt = new Map<string, number>()
  const taken: number[] = []
  const stop = startWorkers(parts, (id) => {
    const since = startedAt.get(id)
    if (since !== undefined) taken.push(performance.now() - since)
  })
  for (const [number, hook] of hooks.entries()) {
    if (slow !== undefined && number % slowEvery === 0) await enqueue(parts, slow, number)
    startedAt.set(await enqueue(parts, hook, number), performance.now())
    await pause(everyMs)
  }
  await stop()
  if (taken.length !== fastReceivers) throw new Error(`${taken.length} of ${fastReceivers} were delivered`)
  return taken
}

/** Queues a delivery as the dispatch of an event does, by what is known of the hook at that moment. */
async function enqueue(parts: DeliveryBench, { domain, id }: Hook, number: number): Promise<string> {
  const hook = await parts.ports.hooks.read(domain, id)
  if (hook === undefined) throw new Error('the hook is gone')
  const event = { ...benchEvent(number), domain }
  await parts.ports.deliveries.keepEvent(event)
  const queued = await benchDelivery(parts, { hook, event, sequence: number })
  await parts.ports.deliveryQueue.send([queued])
  return queued.id
}

/** Runs both functions on their queues. Stopping them drains the queues first. */
function startWorkers(parts: DeliveryBench, delivered: (id: string) => void): () => Promise<void> {
  const queues = { usual: new MemoryQueue(), slow: new MemoryQueue() }
  const ports = {
    ...parts.ports,
    deliveries: {
      ...parts.ports.deliveries,
      recordAttempt: async (...given: Parameters<typeof parts.ports.deliveries.recordAttempt>) => {
        const answer = await parts.ports.deliveries.recordAttempt(...given)
        if (given[1].state === 'delivered') delivered(given[0].id)
        return answer
      },
    },
  }
  parts.ports.deliveryQueue.send = async (all) => {
    for (const one of all) (one.isSlow === true ? queues.slow : queues.usual).send(one)
    return []
  }
  const poll = (
    queue: MemoryQueue,
    handler: WorkerHandler,
    { batchSize, maxConcurrency }: typeof delivering | typeof deliveringSlowly,
  ) =>
    new Poller({
      queue,
      batchSize,
      concurrency: Math.min(maxConcurrency, laptopConcurrency),
      handle: async (messages) =>
        doneMessages(
          messages,
          await handler({ Records: messages.map(queue.record) }, { getRemainingTimeInMillis: () => 60_000 }),
          true,
        ),
      onError: (error) => console.error(error),
    })
  const pollers = [
    poll(queues.usual, deliver.over(ports, parts.tools), delivering),
    poll(queues.slow, deliverSlowly.over(ports, parts.tools), deliveringSlowly),
  ]
  return async () => {
    for (const poller of pollers) await poller.stop()
  }
}
