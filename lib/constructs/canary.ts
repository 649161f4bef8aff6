import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { Construct } from 'constructs'
import * as platform from '../../contracts/settings/platform.ts'
import { canary } from '../handlers.ts'
import { type FunctionDefaults, PlatformFunction } from './platform-function.ts'
import { RunbookAlarm } from './runbook-alarm.ts'

const every = Duration.minutes(5)

/** A function that tries the platform as a user would, every five minutes, and the alarm on its failures. */
export class Canary extends Construct {
  constructor(scope: Construct, id: string, { url, ...defaults }: FunctionDefaults & { readonly url: string }) {
    super(scope, id)
    const { function: called } = new PlatformFunction(this, 'Handler', {
      ...defaults,
      handler: canary,
      summary: 'Try the platform as a user would',
      needs: { secrets: ['rootPassword'] },
      environment: { ...defaults.environment, [platform.publicUrl.variable]: url },
      memoryMb: 512,
      // A trial ends itself after 90 s, and has 30 s more to remove what it made.
      timeoutSeconds: 150,
    })
    new Rule(this, 'Rule', {
      schedule: Schedule.rate(every),
      targets: [new LambdaFunction(called, { retryAttempts: 0, maxEventAge: every })],
    })
    new RunbookAlarm(this, 'Fails', {
      article: 'The canary fails',
      severity: 'page',
      impact: 'What a user does first does not work: a login, a new account, a test delivery or a search fails.',
      metric: called.metricErrors({ period: Duration.minutes(15), statistic: 'Sum' }),
      threshold: 2,
    })
  }
}
