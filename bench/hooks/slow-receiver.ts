import { setTimeout as pause } from 'node:timers/promises'
import { deliver as delivering, hookDispatch as dispatching } from '../../contracts/workers.ts'
import { handler as deliver } from '../../functions/hooks/deliver.ts'
import { handler as hookDispatch } from '../../functions/hooks/hook-dispatch.ts'
import { maxConcurrency as laptopConcurrency } from '../../packages/laptop/queues/start-mappings.ts'
import { doneMessages } from '../../packages/laptop/queues/queue-event.ts'
import { Poller } from '../../packages/laptop/queues/poller.ts'
import type { Delivery } from '../../core/hooks/delivery/delivery.ts'
import type { WorkerHandler } from '../../functions/worker.ts'
import { type Figures, percentile } from '../figures.ts'
import { type DeliveryBench, benchEvent, benchHook, deliveryBench } from './deliveries.ts'
import { MemoryQueue } from './memory-queue.ts'
import { messageBody } from './records.ts'
import { type BenchSink, openSink } from './sink.ts'

const fastEvents = 1000
const fastDomains = Array.from({ length: 10 }, (_, at) => `domain-${at}.example.com`)
const slowDomain = 'slow.example.com'
/** One event for a fast receiver each 20 ms, and one in ten more for the slow one. */
const everyMs = 20
const slowEvery = 10
const slowMs = 14_000

/**
 * How long a thousand events for fast receivers take from the queue to the end of their attempt, with and without one
 * receiver that takes 14 s: through the pollers of a laptop, with its concurrency, a tenth of that in the cloud.
 * Nothing knows at first that the slow one is late.
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

/** Milliseconds from the queue to the record of its delivery, for each event of a fast receiver. */
async function fastLatencies(sinks: Sinks, withSlow: boolean): Promise<number[]> {
  const parts = deliveryBench()
  for (const domain of fastDomains) await benchHook(parts, sinks.fast.urlAfter(0), domain)
  await benchHook(parts, sinks.slow.urlAfter(slowMs), slowDomain)
  const startedAt = new Map<string, number>()
  const taken: number[] = []
  const { events, stop } = startWorkers(parts, (eventId) => {
    const since = startedAt.get(eventId)
    if (since !== undefined) taken.push(performance.now() - since)
  })
  const send = (number: number, given: { readonly id: string; readonly domain: string }) =>
    events.send(JSON.stringify({ version: 1, ...benchEvent(number), ...given }))
  for (let number = 0; number < fastEvents; number += 1) {
    if (withSlow && number % slowEvery === 0) send(number, { id: `slow:${number}`, domain: slowDomain })
    const id = `fast:${number}`
    startedAt.set(id, performance.now())
    send(number, { id, domain: fastDomains[number % fastDomains.length] ?? '' })
    await pause(everyMs)
  }
  await stop()
  if (taken.length !== fastEvents) throw new Error(`${taken.length} of ${fastEvents} were delivered`)
  return taken
}

/** Runs both functions on their queues. Stopping them drains the queues first. */
function startWorkers(parts: DeliveryBench, delivered: (eventId: string) => void) {
  const [events, attempts] = [new MemoryQueue(), new MemoryQueue()]
  const { deliveries } = parts.ports
  const note = (delivery: Pick<Delivery, 'eventId'>, { state }: Pick<Delivery, 'state'>) => {
    if (state === 'delivered') delivered(delivery.eventId)
  }
  const ports = {
    ...parts.ports,
    deliveries: {
      ...deliveries,
      recordAttempt: async (...given: Parameters<typeof deliveries.recordAttempt>) => {
        const answer = await deliveries.recordAttempt(...given)
        note(...given)
        return answer
      },
      recordTogether: async (all: Parameters<typeof deliveries.recordTogether>[0]) => {
        const areRecorded = await deliveries.recordTogether(all)
        if (areRecorded) for (const { delivery, outcome } of all) note(delivery, outcome)
        return areRecorded
      },
    },
  }
  parts.ports.deliveryQueue.send = async (all) => {
    for (const one of all) attempts.send(messageBody(one), one.delaySeconds)
    return []
  }
  const pollers = [
    poll(events, hookDispatch.over(ports, parts.tools), dispatching),
    poll(attempts, deliver.over(ports, parts.tools), delivering),
  ]
  const stop = async () => {
    for (const poller of pollers) await poller.stop()
  }
  return { events, stop }
}

function poll(
  queue: MemoryQueue,
  handler: WorkerHandler,
  { batchSize, maxConcurrency }: typeof delivering | typeof dispatching,
): Poller {
  return new Poller({
    queue,
    batchSize,
    concurrency: Math.min(maxConcurrency, laptopConcurrency),
    handle: async (messages) => {
      const batch = { Records: messages.map(queue.record) }
      return doneMessages(messages, await handler(batch, { getRemainingTimeInMillis: () => 60_000 }), true)
    },
    onError: (error) => console.error(error),
  })
}
