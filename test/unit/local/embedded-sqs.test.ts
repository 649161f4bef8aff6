import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDataFolder } from '../../../local/data/data-folder.ts'
import { inSmallerGroups } from '../../../local/platform/message-groups.ts'
import { type QueueStore, startEmbeddedSqs } from '../../../packages/laptop/stores/sqs.ts'

const QueueUrl = 'http://sqs.us-east-1.localhost:4566/000000000000/Work.fifo'

const attributes = { FifoQueue: 'true', VisibilityTimeout: '60' }
const twoQueues = ['Work.fifo', 'Left.fifo'].map((name) => ({
  name,
  arn: `arn:aws:sqs:us-east-1:000000000000:${name}`,
  url: QueueUrl.replace('Work.fifo', name),
  attributes,
}))

let store: QueueStore
let folder: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'queues-'))
  store = await start()
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

async function start(): Promise<QueueStore> {
  const files = { folder: openDataFolder(folder), keeps: ({ name }: { name: string }) => name !== 'Left.fifo' }
  const started = await startEmbeddedSqs(twoQueues, files, inSmallerGroups)
  started.run?.begin()
  return started
}

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
  it('the embedded SQS hides messages that it has delivered', async () => {
    await send('first')
    await receive()

    const { Messages } = await call('ReceiveMessage', { MaxNumberOfMessages: 10 })

    expect(Messages).toBeUndefined()
  })

  it("the embedded SQS keeps a message's position for the next reader when the waiting reader has disconnected", async () => {
    const waiting = receive(() => false)
    await send('first')
    await waiting
    await send('second')

    expect(await receiveAll()).toEqual(['first', 'second'])
  })
})

describe('events of one lane in the embedded SQS', () => {
  const sendEvents = (events: readonly { readonly id: string; readonly uuid: string }[]) =>
    call('SendMessageBatch', {
      Entries: events.map((event, index) => ({
        Id: String(index),
        MessageBody: JSON.stringify(event),
        MessageGroupId: 'a.example.com/0',
        MessageDeduplicationId: event.id,
      })),
    })
  const idsOf = (texts: readonly string[]) => texts.map((text): string => JSON.parse(text).id)

  it('events of different calls, and of none, are received together', async () => {
    await sendEvents([
      ...['a1', 'b2'].map((uuid) => ({ id: `of ${uuid}`, uuid })),
      ...['core:3', 'core:4'].map((id) => ({ id, uuid: '' })),
    ])

    expect(idsOf(await receive()).toSorted()).toEqual(['core:3', 'core:4', 'of a1', 'of b2'])
  })

  it('an event of a call is not received before the earlier ones are finished', async () => {
    await sendEvents(['first', 'second'].map((id) => ({ id, uuid: 'a1' })))

    expect(idsOf(await receive())).toEqual(['first'])
    expect((await call('ReceiveMessage', { MaxNumberOfMessages: 10 })).Messages).toBeUndefined()
  })
})

describe('the embedded SQS, stopped and started again', () => {
  it('the restarted embedded SQS still has waiting messages and those in progress, in their order', async () => {
    for (const text of ['first', 'second', 'third']) await send(text)
    await call('ReceiveMessage', { MaxNumberOfMessages: 1 })

    await store.close()
    store = await start()

    expect(await receiveAll()).toEqual(['first', 'second', 'third'])
    expect(existsSync(join(folder, 'queues.json'))).toBe(false)
  })

  it('the restarted embedded SQS does not restore a message that a consumer has finished', async () => {
    await send('first')
    const { Messages = [] } = await call('ReceiveMessage', { MaxNumberOfMessages: 10 })
    await call('DeleteMessage', { ReceiptHandle: Messages[0]?.ReceiptHandle })

    await store.close()

    expect(existsSync(join(folder, 'queues.json'))).toBe(false)
    store = await start()
  })

  it('the restarted embedded SQS has no messages of a queue that is not persistent', async () => {
    const leftUrl = QueueUrl.replace('Work', 'Left')
    await call('SendMessage', {
      QueueUrl: leftUrl,
      MessageBody: 'late',
      MessageGroupId: 'one',
      MessageDeduplicationId: 'late',
    })

    await store.close()
    store = await start()

    expect((await call('ReceiveMessage', { QueueUrl: leftUrl })).Messages).toBeUndefined()
  })
})
