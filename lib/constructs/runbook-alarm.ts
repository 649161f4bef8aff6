import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import { staged } from './stage.ts'

/** The inputs of an alarm. */
export interface RunbookAlarmProps {
  /** The heading of its article in docs/runbook.md; also the alarm's name, after the stage. */
  readonly article: string
  /** The sentence that a tired person needs at night: who is affected, and how. */
  readonly impact: string
  readonly metric: IMetric
  /** The alarm goes off at this value or above; with `below`, under it. */
  readonly threshold: number
  readonly below?: boolean
  /** Consecutive periods of the metric that must be bad. */
  readonly periods: number
  /** Whether missing data is bad, too; by default it is not. */
  readonly alarmOnSilence?: boolean
  readonly onCall: ITopic
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
      threshold: props.threshold,
      evaluationPeriods: props.periods,
      comparisonOperator: props.below
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: props.alarmOnSilence ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    })
    const page = new SnsAction(props.onCall)
    this.alarm.addAlarmAction(page)
    this.alarm.addOkAction(page)
  }
}
