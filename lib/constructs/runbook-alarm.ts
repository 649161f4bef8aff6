import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { Construct } from 'constructs'
import { type AlarmTopics, alarmTopics } from './on-call.ts'
import { staged } from './stage.ts'

/** The inputs of an alarm. */
export interface RunbookAlarmProps {
  /** The heading of its article in docs/runbook.md; also the alarm's name, after the stage. */
  readonly article: string
  /** Whether it wakes a person (`page`), or can wait for the next working day (`ticket`). */
  readonly severity: keyof AlarmTopics
  /** The sentence that a tired person needs at night: who is affected, and how. */
  readonly impact: string
  readonly metric: IMetric
  /** The alarm goes off at this value or above, 1 by default; with `below`, under it. */
  readonly threshold?: number
  readonly below?: boolean
  /** Consecutive periods of the metric that must be bad; 1 by default. */
  readonly periods?: number
  /** Whether missing data is bad, too; by default it is not. */
  readonly alarmOnSilence?: boolean
}

/** An alarm that says what it means and where the remedy is described. */
export class RunbookAlarm extends Construct {
  readonly alarm: Alarm

  constructor(scope: Construct, id: string, props: RunbookAlarmProps) {
    super(scope, id)
    this.alarm = new Alarm(this, 'Alarm', {
      alarmName: `${staged(this, 'Callplane', ' ')}: ${props.article}`,
      alarmDescription: `${props.impact} What to do: docs/runbook.md, "${props.article}".`,
      metric: props.metric,
      threshold: props.threshold ?? 1,
      evaluationPeriods: props.periods ?? 1,
      comparisonOperator: props.below
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: props.alarmOnSilence ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    })
    const notify = new SnsAction(alarmTopics(this)[props.severity])
    this.alarm.addAlarmAction(notify)
    this.alarm.addOkAction(notify)
  }
}
