import type { Assembly, EventSourceMapping, LambdaFunction, Queue } from '../assembly/assembly.ts'
import type { FunctionHost } from '../functions/function-host.ts'
import type { Gate } from '../gate/gate.ts'
import { GateQueue } from './gate-queue.ts'
import { Poller, type PollerOptions } from './poller.ts'
import { doneMessages, queueEvent } from './queue-event.ts'

/** Batches of one queue that are worked on at one time: the template may set far more, for many machines. */
export const maxConcurrency = 20

/** How many batches of a queue its function works on at one time, and how many with those that only wait. */
export interface BatchesAtOnce {
  readonly concurrency: number
  readonly most: number
}

/** What mappings work with. */
export interface MappingParts {
  readonly gate: Gate
  readonly host: Pick<FunctionHost, 'invoke'>
  /** Divides a batch, so that what does not belong together is handled apart; by default it is one. */
  readonly divide?: PollerOptions['divide']
  /** Limits one queue further than its mapping and {@link maxConcurrency} do. */
  readonly atOnce?: (
    mapping: Pick<EventSourceMapping, 'maximumConcurrency'>,
    ends: { readonly queue: Pick<Queue, 'url'>; readonly called: Pick<LambdaFunction, 'environment'> },
  ) => BatchesAtOnce
}

const usualAtOnce: NonNullable<MappingParts['atOnce']> = ({ maximumConcurrency = maxConcurrency }) => ({
  concurrency: Math.min(maximumConcurrency, maxConcurrency),
  most: maximumConcurrency,
})

/** Running event-source mappings. */
export interface RunningMappings {
  /** Works on until the queues are empty or `patience` ends; no function is called after that. */
  stop(patience: AbortSignal): Promise<void>
}

/** Starts a poller for each event-source mapping; each acts with the role of its function, as the cloud's does. */
export function startMappings(
  assembly: Pick<Assembly, 'mappings' | 'queues' | 'functions'>,
  parts: MappingParts,
): RunningMappings {
  const { divide, atOnce = usualAtOnce } = parts
  let stopping = false
  const running = assembly.mappings.map((mapping) => {
    const queue = assembly.queues.find(({ arn }) => arn === mapping.queueArn)
    const called = assembly.functions.find(({ arn }) => arn === mapping.functionArn)
    if (queue === undefined || called === undefined) throw new Error(`${mapping.queueArn} is not in the assembly`)
    const polled = new GateQueue(parts.gate, queue.url, called.roleArn)
    const poller = new Poller({
      queue: polled,
      batchSize: mapping.batchSize,
      ...atOnce(mapping, { queue, called }),
      ...(divide && { divide }),
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
