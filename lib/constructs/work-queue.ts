import { Duration } from 'aws-cdk-lib'
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { QueueSpec } from '../../contracts/resources.ts'
import { RunbookAlarm } from './runbook-alarm.ts'
import { retained } from './retained.ts'

/** The inputs of a work queue. */
export interface WorkQueueProps {
  readonly spec: QueueSpec
  /** Heading of the article about its dead letters in docs/runbook.md. */
  readonly article: string
  /** The consequence for people when messages end in the dead-letter queue. */
  readonly impact: string
  /** Whether there is an alarm on its dead letters. */
  readonly isWatched: boolean
}

/**
 * FIFO queues deduplicate inside a message group. Both connectors send the same event under the same id to the same
 * group (its call), so one copy is kept. Throughput is also limited by group instead of by queue.
 */
const fifo: QueueProps = {
  fifo: true,
  contentBasedDeduplication: false,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
}

/** The service's largest message: 1 MiB, since August 2025. */
const largestMessage = 1024 * 1024

/** SQS keeps a message for 14 days at most. */
const longestRetention = Duration.days(14)

/** A queue with its dead-letter queue and, in a watched stage, its alarm. There is no other way to create one. */
export class WorkQueue extends Construct {
  readonly queue: Queue
  readonly deadLetters: Queue

  constructor(scope: Construct, id: string, { spec, article, impact, isWatched }: WorkQueueProps) {
    super(scope, id)
    const shared: QueueProps = {
      ...(spec.fifo ? fifo : {}),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      removalPolicy: retained,
      maxMessageSizeBytes: largestMessage,
    }
    this.deadLetters = new Queue(this, 'DeadLetters', { ...shared, retentionPeriod: longestRetention })
    this.queue = new Queue(this, 'Work', {
      ...shared,
      visibilityTimeout: Duration.seconds(spec.visibilitySeconds),
      retentionPeriod: Duration.seconds(spec.retentionSeconds),
      receiveMessageWaitTime: Duration.seconds(20),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: spec.maxReceives },
    })
    if (!isWatched) return
    new RunbookAlarm(this, 'DeadLettersAlarm', {
      article,
      // What is among the dead letters is kept for 14 days.
      severity: 'ticket',
      impact,
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(1),
        statistic: 'Maximum',
      }),
    })
  }
}
