import { Stack, type StackProps } from 'aws-cdk-lib'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { preparations } from '../../contracts/preparations.ts'
import { cdrMetrics, recordingMetrics } from '../../contracts/metrics.ts'
import { failMissingRecordings, schedules } from '../../contracts/schedules.ts'
import { cdrIndex, workers } from '../../contracts/workers.ts'
import { CdrCounts } from '../constructs/cdr-metrics.ts'
import { countLines } from '../constructs/line-count.ts'
import type { FunctionDefaults } from '../constructs/platform-function.ts'
import { PreparedStore } from '../constructs/prepared-store.ts'
import { QueueConsumer } from '../constructs/queue-consumer.ts'
import { constructId } from '../constructs/resources.ts'
import { ScheduledFunction } from '../constructs/scheduled-function.ts'

/** The functions that queues, schedules and the deployment itself call. */
export class WorkersStack extends Stack {
  readonly scheduled: readonly ScheduledFunction[]
  readonly attemptLogs: readonly ILogGroup[]

  constructor(
    scope: Construct,
    id: string,
    { build, resources, environment, isTraced, ...props }: StackProps & FunctionDefaults,
  ) {
    super(scope, id, props)
    const defaults: FunctionDefaults = { build, resources, environment, isTraced }
    const prepared = preparations.map(
      (preparation) => new PreparedStore(this, constructId(preparation.name), { ...defaults, preparation }),
    )
    for (const store of prepared) countLines(store, store.logGroup, cdrMetrics.group, cdrMetrics.unprepared)
    const consumers = workers.map((worker) => {
      const consumer = new QueueConsumer(this, constructId(worker.name), { ...defaults, worker })
      // The first CDR creates its index, which requires the prepared store.
      if (worker.needs.cdrs !== undefined) consumer.node.addDependency(...prepared)
      if (worker === cdrIndex) new CdrCounts(this, 'CdrCounts', consumer)
      return { worker, consumer }
    })
    this.attemptLogs = consumers
      .filter(({ worker }) => worker.needs.hookClient !== undefined)
      .map(({ consumer }) => consumer.logGroup)
    this.scheduled = schedules.map((schedule) => {
      const scheduled = new ScheduledFunction(this, constructId(schedule.name), { ...defaults, schedule })
      const { group, missing } = recordingMetrics
      if (schedule === failMissingRecordings) countLines(scheduled, scheduled.logGroup, group, missing)
      return scheduled
    })
  }
}
