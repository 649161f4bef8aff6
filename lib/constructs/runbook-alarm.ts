import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'

/** What an alarm is made from. */
export interface RunbookAlarmProps {
  /** Heading of its article in docs/runbook.md; the alarm is named after it. */
  readonly article: string
  /** The sentence a tired person needs at night: who is hurt, and how. */
  readonly impact: string
  readonly metric: IMetric
  /** The alarm goes off at this value or above; with `below`, under it. */
  readonly threshold: number
  readonly below?: boolean
  /** Periods of the metric in a row that must be bad. */
  readonly periods: number
  /** Whether silence is bad news too; by default it is not. */
  readonly alarmOnSilence?: boolean
  /** Who is told, of the alarm and of its end. */
  readonly onCall: ITopic
}

/** An alarm that says what it means and where the way out is written. */
export class RunbookAlarm extends Construct {
  readonly alarm: Alarm

  constructor(scope: Construct, id: string, props: RunbookAlarmProps) {
    super(scope, id)
    this.alarm = new Alarm(this, 'Alarm', {
      alarmName: `Callplane: ${props.article}`,
      alarmDescription: `${props.impact} What to do: docs/runbook.md, "${props.article}".`,
      metric: props.metric,
      threshold: props.threshold,
      evaluationPeriods: props.periods,
      comparisonOperator: props.below
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: props.alarmOnSilence ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    })
    const tell = new SnsAction(props.onCall)
    this.alarm.addAlarmAction(tell)
    this.alarm.addOkAction(tell)
  }
}
