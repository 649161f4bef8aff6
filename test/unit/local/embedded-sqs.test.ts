import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunningStore } from '../../../local/stores/dynamodb.ts'
import { type KeptQueues, startEmbeddedSqs } from '../../../local/stores/sqs.ts'

const QueueUrl = 'http://sqs.us-east-1.localhost:4566/000000000000/Work.fifo'

const attributes = { FifoQueue: 'true', VisibilityTimeout: '60' }
const twoQueues = ['Work.fifo', 'Left.fifo'].map((name) => ({
  name,
  arn: `arn:aws:sqs:us-east-1:000000000000:${name}`,
  url: QueueUrl.replace('Work.fifo', name),
  attributes,
}))

let store: RunningStore
let kept: KeptQueues

beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'queues-'))
  kept = { file: join(folder, 'queues.json'), keeps: ({ name }) => name !== 'Left.fifo' }
  store = await startEmbeddedSqs(twoQueues, kept)
})

afterEach(async () => {
  await store.close()
  rmSync(dirname(kept.file), { recursive: true })
})

async function call(action: string, given: object, isAwaited: () => boolean = () => true) {
  const input = { QueueUrl, ...given }
  const body = Buffer.from(JSON.stringify(input))
  const target = `AmazonSQS.${action}`
  const contentType = 'application/x-amz-json-1.0'
  const answer = await store.backend({ action, target, contentType, body, input, isAwaited })
  return JSON.parse(String(answer.body)) as { Messages?: { Body: string; ReceiptHandle: string }[] }
}

const send = (text: string) =>
  call('SendMessage', { MessageBody: text, MessageGroupId: 'one', MessageDeduplicationId: text })

const receive = async (isAwaited?: () => boolean) => {
  const { Messages = [] } = await call('ReceiveMessage', { MaxNumberOfMessages: 10, WaitTimeSeconds: 5 }, isAwaited)
  return Messages.map(({ Body }) => Body)
}

/** Takes messages one after another until none is left. */
async function receiveAll(): Promise<string[]> {
  const { Messages: [message] = [] } = await call('ReceiveMessage', { MaxNumberOfMessages: 1 })
  if (message === undefined) return []
  await call('DeleteMessage', { ReceiptHandle: message.ReceiptHandle })
  return [message.Body, ...(await receiveAll())]
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

describe('the embedded SQS, stopped and started again', () => {
  it('still has the messages that waited and those that somebody worked on, in their order', async () => {
    for (const text of ['first', 'second', 'third']) await send(text)
    await call('ReceiveMessage', { MaxNumberOfMessages: 1 })

    await store.close()
    store = await startEmbeddedSqs(twoQueues, kept)

    expect(await receiveAll()).toEqual(['first', 'second', 'third'])
    expect(existsSync(kept.file)).toBe(false)
  })

  it('does not put a message back that a consumer is done with', async () => {
    await send('first')
    const { Messages = [] } = await call('ReceiveMessage', { MaxNumberOfMessages: 10 })
    await call('DeleteMessage', { ReceiptHandle: Messages[0]?.ReceiptHandle })

    await store.close()

    expect(existsSync(kept.file)).toBe(false)
    store = await startEmbeddedSqs(twoQueues, kept)
  })

  it('has nothing of a queue that is not kept', async () => {
    const leftUrl = QueueUrl.replace('Work', 'Left')
    await call('SendMessage', {
      QueueUrl: leftUrl,
      MessageBody: 'late',
      MessageGroupId: 'one',
      MessageDeduplicationId: 'late',
    })

    await store.close()
    store = await startEmbeddedSqs(twoQueues, kept)

    expect((await call('ReceiveMessage', { QueueUrl: leftUrl })).Messages).toBeUndefined()
  })

  it('names a file that it cannot read', async () => {
    writeFileSync(kept.file, 'damaged')

    await expect(startEmbeddedSqs(twoQueues, kept)).rejects.toThrow(`${kept.file} is damaged`)
  })
})
