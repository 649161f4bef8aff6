import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule as Times } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { Schedule } from '../../contracts/schedules.ts'
import { handlerOf } from '../handlers.ts'
import { type FunctionDefaults, PlatformFunction } from './platform-function.ts'

/** One declared schedule: its function, and the rule that calls it. */
export class ScheduledFunction extends Construct {
  readonly schedule: Schedule
  readonly function: IFunction
  readonly logGroup: ILogGroup

  constructor(
    scope: Construct,
    id: string,
    { schedule, ...defaults }: FunctionDefaults & { readonly schedule: Schedule },
  ) {
    super(scope, id)
    this.schedule = schedule
    const { function: called, logGroup } = new PlatformFunction(this, 'Handler', {
      ...defaults,
      handler: handlerOf(schedule.group, schedule.name),
      summary: schedule.summary,
      needs: schedule.needs,
      memoryMb: 512,
      timeoutSeconds: schedule.timeoutSeconds,
    })
    this.function = called
    this.logGroup = logGroup
    const every = Duration.minutes(schedule.everyMinutes)
    new Rule(this, 'Rule', {
      description: schedule.summary,
      schedule: Times.rate(every),
      // A call that could not be made is not retried; the next one does its work.
      targets: [new LambdaFunction(called, { retryAttempts: 0, maxEventAge: every })],
    })
  }
}
