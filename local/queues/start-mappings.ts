import { queues } from '../../contracts/resources.ts'
import type { Assembly, EventSourceMapping, LambdaFunction, Queue } from '../assembly/assembly.ts'
import type { FunctionHost } from '../functions/function-host.ts'
import type { Gate } from '../gate/gate.ts'
import { GateQueue } from './gate-queue.ts'
import { Poller } from './poller.ts'
import { byTenant, doneMessages, queueEvent } from './queue-event.ts'

/** Batches of one queue that are worked on at one time: the template may set far more, for many machines. */
export const maxConcurrency = 20

/** Batches of queued attempts: an attempt costs six calls around its wait, and many at a time would delay everybody. */
const attemptsConcurrency = 2

/** Returns how many batches of a queue the function that it calls works on at one time. */
export function batchesAtOnce(
  { maximumConcurrency = maxConcurrency }: Pick<EventSourceMapping, 'maximumConcurrency'>,
  { queue, called }: { readonly queue: Pick<Queue, 'url'>; readonly called: Pick<LambdaFunction, 'environment'> },
): number {
  const areAttempts = called.environment[queues.deliveries.variable] === queue.url
  return Math.min(maximumConcurrency, areAttempts ? attemptsConcurrency : maxConcurrency)
}

/** Running event-source mappings. */
export interface RunningMappings {
  /** Works on until the queues are empty or `patience` ends; no function is called after that. */
  stop(patience: AbortSignal): Promise<void>
}

/** Starts a poller for each event-source mapping; each acts with the role of its function, as the cloud's does. */
export function startMappings(
  assembly: Pick<Assembly, 'mappings' | 'queues' | 'functions'>,
  parts: { readonly gate: Gate; readonly host: Pick<FunctionHost, 'invoke'> },
): RunningMappings {
  let stopping = false
  const running = assembly.mappings.map((mapping) => {
    const queue = assembly.queues.find(({ arn }) => arn === mapping.queueArn)
    const called = assembly.functions.find(({ arn }) => arn === mapping.functionArn)
    if (queue === undefined || called === undefined) throw new Error(`${mapping.queueArn} is not in the assembly`)
    const polled = new GateQueue(parts.gate, queue.url, called.roleArn)
    const poller = new Poller({
      queue: polled,
      batchSize: mapping.batchSize,
      concurrency: batchesAtOnce(mapping, { queue, called }),
      most: mapping.maximumConcurrency ?? maxConcurrency,
      divide: byTenant,
      handle: async (messages) =>
        doneMessages(
          messages,
          await parts.host.invoke(called.name, queueEvent(queue, messages)),
          mapping.reportsFailures,
        ),
      onError: (error) => {
        // Batches that are cut off at the end are found again at the next start.
        if (!stopping) console.error(`queue ${queue.name}: ${error instanceof Error ? error.message : String(error)}`)
      },
    })
    return { polled, poller }
  })
  return {
    async stop(patience) {
      stopping = true
      await Promise.all(running.map(({ poller }) => poller.stop(patience)))
      for (const { polled } of running) polled.close()
    },
  }
}
