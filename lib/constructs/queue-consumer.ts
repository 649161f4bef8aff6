import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { Worker } from '../../contracts/workers.ts'
import { handlerOf } from '../handlers.ts'
import { type FunctionDefaults, PlatformFunction } from './platform-function.ts'

/** One declared worker: its function, and the mapping that calls it with batches of its queue. */
export class QueueConsumer extends Construct {
  readonly logGroup: ILogGroup

  constructor(scope: Construct, id: string, { worker, ...defaults }: FunctionDefaults & { readonly worker: Worker }) {
    super(scope, id)
    const { queue } = defaults.resources.queues[worker.queue]
    const consumer = new PlatformFunction(this, 'Handler', {
      ...defaults,
      handler: handlerOf(worker.group, worker.name),
      summary: worker.summary,
      needs: worker.needs,
      memoryMb: 512,
      timeoutSeconds: worker.timeoutSeconds,
      triggerGrants: [
        // Lambda polls the queue with the function's role.
        new PolicyStatement({
          actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
          resources: [queue.queueArn],
        }),
      ],
    })
    this.logGroup = consumer.logGroup
    const mapping = new EventSourceMapping(this, 'Source', {
      target: consumer.function,
      eventSourceArn: queue.queueArn,
      batchSize: worker.batchSize,
      maxConcurrency: worker.maxConcurrency,
      reportBatchItemFailures: true,
    })
    // Lambda checks at creation that the role may receive messages.
    mapping.node.addDependency(consumer.role)
  }
}
