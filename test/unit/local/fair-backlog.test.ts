import { beforeAll, describe, expect, it } from 'vitest'
import { startEmbeddedSqs } from '../../../local/stores/sqs.ts'
import { memoryInUse } from '../../support/processes/memory-in-use.ts'

interface Queue {
  enqueue(message: object): void
  dequeue(most: number): unknown[]
}

let aQueue: () => Queue

beforeAll(async () => {
  await (await startEmbeddedSqs([])).close()
  const file = new URL('sqs/sqsStore.js', import.meta.resolve('fauxqs'))
  const { SqsQueue } = await import(file.href)
  aQueue = () => new SqsQueue('Work', 'http://sqs/Work', 'arn:aws:sqs:us-east-1:0:Work', { VisibilityTimeout: '60' })
})

const queueUrl = (name: string) => `http://sqs.us-east-1.localhost:4566/000000000000/${name}`
const arn = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`

/** A queue whose messages go to `Dead` after one attempt. */
async function withDeadLetters() {
  const queue = (name: string, attributes: Record<string, string>) => ({
    name,
    arn: arn(name),
    url: queueUrl(name),
    attributes: { VisibilityTimeout: '60', ...attributes },
  })
  const policy = JSON.stringify({ deadLetterTargetArn: arn('Dead'), maxReceiveCount: 1 })
  const store = await startEmbeddedSqs([queue('Dead', {}), queue('Work', { RedrivePolicy: policy })])
  const call = async (action: string, name: string, given: object) => {
    const input = { QueueUrl: queueUrl(name), ...given }
    const [body, contentType] = [Buffer.from(JSON.stringify(input)), 'application/x-amz-json-1.0']
    const answer = await store.backend({ action, target: `AmazonSQS.${action}`, contentType, body, input })
    return JSON.parse(String(answer.body)) as { Messages?: { ReceiptHandle: string }[] }
  }
  return { store, call }
}

describe('a standard queue of the embedded SQS', () => {
  it('a standard queue examines some dozens of messages to deliver ten, however many wait', () => {
    const queue = aQueue()
    let looks = 0
    const message = (id: number) => ({
      messageId: `m${id}`,
      body: '',
      messageAttributes: {},
      approximateReceiveCount: 0,
      get messageGroupId() {
        looks += 1
        return `tenant ${id % 5}`
      },
    })
    for (let id = 0; id < 20_000; id += 1) queue.enqueue(message(id))
    queue.dequeue(10)
    looks = 0

    expect(queue.dequeue(10)).toHaveLength(10)

    expect(looks).toBeLessThan(100)
  })

  it('a standard queue delivers everything in the order of arrival when no tenant is noisy, also what arrived meanwhile', () => {
    const queue = aQueue()
    const enqueue = (id: number) =>
      queue.enqueue({
        messageId: `${id}`,
        messageAttributes: {},
        approximateReceiveCount: 0,
        messageGroupId: `${id % 3}`,
      })
    for (let id = 0; id < 12; id += 1) enqueue(id)
    const first = queue.dequeue(5)
    for (let id = 12; id < 20; id += 1) enqueue(id)

    const handedOut = [...first, ...queue.dequeue(10), ...queue.dequeue(10)]

    expect(handedOut).toMatchObject(Array.from({ length: 20 }, (_, id) => ({ MessageId: `${id}` })))
    expect(queue.dequeue(10)).toEqual([])
  })

  it('a standard queue frees the memory of messages that went through the dead-letter queue and were deleted', async () => {
    const { store, call } = await withDeadLetters()
    const before = memoryInUse()

    for (let count = 0; count < 100; count += 1) {
      await call('SendMessage', 'Work', { MessageBody: `${count}${'x'.repeat(200_000)}` })
      const { Messages: [message] = [] } = await call('ReceiveMessage', 'Work', {})
      await call('ChangeMessageVisibility', 'Work', { ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: 0 })
      expect(await call('ReceiveMessage', 'Work', {})).toEqual({})
      const { Messages: [dead] = [] } = await call('ReceiveMessage', 'Dead', {})
      await call('DeleteMessage', 'Dead', { ReceiptHandle: dead?.ReceiptHandle })
    }

    expect(memoryInUse() - before).toBeLessThan(5_000_000)
    await store.close()
  })
})
