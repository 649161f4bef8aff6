import { Stack, type StackProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { schedules } from '../../contracts/schedules.ts'
import { workers } from '../../contracts/workers.ts'
import type { FunctionDefaults } from '../constructs/platform-function.ts'
import { QueueConsumer } from '../constructs/queue-consumer.ts'
import { constructId } from '../constructs/resources.ts'
import { ScheduledFunction } from '../constructs/scheduled-function.ts'

/** The functions that queues and schedules call. */
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
    for (const schedule of schedules) {
      new ScheduledFunction(this, constructId(schedule.name), { build, resources, environment, schedule })
    }
  }
}
