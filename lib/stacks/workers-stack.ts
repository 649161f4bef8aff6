import { Stack, type StackProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { workers } from '../../contracts/workers.ts'
import type { FunctionDefaults } from '../constructs/platform-function.ts'
import { QueueConsumer } from '../constructs/queue-consumer.ts'
import { constructId } from '../constructs/resources.ts'

/** The functions that queues call: hook dispatch and delivery. */
export class WorkersStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { build, resources, environment, ...props }: StackProps & FunctionDefaults,
  ) {
    super(scope, id, props)
    for (const worker of workers) {
      new QueueConsumer(this, constructId(worker.name), { build, resources, environment, worker })
    }
  }
}
