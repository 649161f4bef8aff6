import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { expect, test } from 'vitest'
import { sqsClient } from '../../adapters/aws/sqs-client.ts'
import { sqsEventSink } from '../../adapters/sqs/sqs-event-sink.ts'
import { sqsReceivedEvents } from '../../adapters/sqs/sqs-received-events.ts'
import { queueUrl } from '../../adapters/sqs/client.ts'
import { openCloudQueues } from '../support/stores/cloud-queues.ts'
import { opened } from '../support/processes/opened.ts'
import { anEvent } from '../support/records/records.ts'

const rig = opened(openCloudQueues)

/** Takes what can be taken now, at most one message. */
async function take() {
  const { context } = rig()
  const command = new ReceiveMessageCommand({ QueueUrl: queueUrl(context, 'events'), MaxNumberOfMessages: 1 })
  const { Messages = [] } = await sqsClient(context).send(command)
  return Messages.map(({ ReceiptHandle = '', Body = '' }) => ({ receipt: ReceiptHandle, id: JSON.parse(Body).id }))
}

test('the next event of a call can be received once the one before it is removed, and a repeated removal succeeds', async () => {
  const { context } = rig()
  const events = ['taken:1', 'taken:2'].map((id) => anEvent({ id, uuid: 'a'.repeat(36) }))
  await sqsEventSink(context).publish(events)
  const receivedEvents = sqsReceivedEvents(context)

  const [first] = await take()
  expect(first?.id).toBe('taken:1')
  expect(await take()).toEqual([])
  await receivedEvents.ack([first?.receipt ?? ''])

  expect(await take()).toMatchObject([{ id: 'taken:2' }])
  await expect(receivedEvents.ack([first?.receipt ?? ''])).resolves.toBeUndefined()
})
