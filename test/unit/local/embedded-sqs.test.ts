import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunningStore } from '../../../local/stores/dynamodb.ts'
import { startEmbeddedSqs } from '../../../local/stores/sqs.ts'

const QueueUrl = 'http://sqs.us-east-1.localhost:4566/000000000000/Work.fifo'

let store: RunningStore

beforeEach(async () => {
  const attributes = { FifoQueue: 'true', VisibilityTimeout: '60' }
  store = await startEmbeddedSqs([
    { name: 'Work.fifo', arn: 'arn:aws:sqs:us-east-1:000000000000:Work.fifo', url: QueueUrl, attributes },
  ])
})

afterEach(() => store.close())

async function call(action: string, given: object, isAwaited: () => boolean = () => true) {
  const input = { QueueUrl, ...given }
  const body = Buffer.from(JSON.stringify(input))
  const target = `AmazonSQS.${action}`
  const contentType = 'application/x-amz-json-1.0'
  const answer = await store.backend({ action, target, contentType, body, input, isAwaited })
  return JSON.parse(String(answer.body)) as { Messages?: { Body: string }[] }
}

const send = (text: string) =>
  call('SendMessage', { MessageBody: text, MessageGroupId: 'one', MessageDeduplicationId: text })

const receive = async (isAwaited?: () => boolean) => {
  const { Messages = [] } = await call('ReceiveMessage', { MaxNumberOfMessages: 10, WaitTimeSeconds: 5 }, isAwaited)
  return Messages.map(({ Body }) => Body)
}

describe('the embedded SQS', () => {
  it('hides what it has handed out', async () => {
    await send('first')
    await receive()

    const { Messages } = await call('ReceiveMessage', { MaxNumberOfMessages: 10 })

    expect(Messages).toBeUndefined()
  })

  it('keeps a message in its place for the next reader when the one that waited for it is gone', async () => {
    const waiting = receive(() => false)
    await send('first')
    await waiting
    await send('second')

    expect(await receive()).toEqual(['first'])
  })
})
