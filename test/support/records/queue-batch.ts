import type { SQSEvent } from 'aws-lambda'

/** A batch of a queue as its worker is given it: one message for each body, each in the group named, or in its own. */
export function aBatch(bodies: readonly unknown[], group: string | readonly string[] = 'group'): SQSEvent {
  return {
    Records: bodies.map((body, index) => ({
      messageId: `message-${index}`,
      receiptHandle: `receipt-${index}`,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: '0',
        SenderId: 'test',
        ApproximateFirstReceiveTimestamp: '0',
        MessageGroupId: typeof group === 'string' ? group : (group[index] ?? 'group'),
      },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:queue',
      awsRegion: 'eu-central-1',
    })),
  }
}
