import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunningStore } from '../../../local/stores/dynamodb.ts'
import { startEmbeddedSqs } from '../../../local/stores/sqs.ts'

const standardUrl = 'http://sqs.us-east-1.localhost:4566/000000000000/Work'
const QueueUrl = `${standardUrl}.fifo`

let store: RunningStore

beforeEach(async () => {
  const arn = 'arn:aws:sqs:us-east-1:000000000000:Work'
  const attributes = { VisibilityTimeout: '60' }
  store = await startEmbeddedSqs([
    { name: 'Work', arn, url: standardUrl, attributes },
    { name: 'Work.fifo', arn: `${arn}.fifo`, url: QueueUrl, attributes: { ...attributes, FifoQueue: 'true' } },
  ])
})

afterEach(() => store.close())

async function call(action: string, given: object) {
  const input = { QueueUrl, ...given }
  const body = Buffer.from(JSON.stringify(input))
  const contentType = 'application/x-amz-json-1.0'
  const answer = await store.backend({ action, target: `AmazonSQS.${action}`, contentType, body, input })
  return JSON.parse(String(answer.body)) as { Messages?: { Body: string }[] }
}

/** A standard queue: sends messages of tenants by their first letter, and receives ten at a time. */
const standard = {
  async send(...texts: string[]) {
    for (const text of texts) {
      await call('SendMessage', { QueueUrl: standardUrl, MessageBody: text, MessageGroupId: text.slice(0, 1) })
    }
  },
  async receive(most = 10) {
    const wanted = { QueueUrl: standardUrl, MaxNumberOfMessages: most }
    const { Messages = [] } = await call('ReceiveMessage', wanted)
    return Messages.map(({ Body }) => Body)
  },
}

const many = (tenant: string, count: number) => Array.from({ length: count }, (_, at) => `${tenant}${at}`)

describe('a standard queue of the embedded SQS', () => {
  it('hands out the message of a quiet tenant next when another tenant has thirty in flight and a backlog', async () => {
    await standard.send(...many('a', 60))
    for (let batch = 0; batch < 3; batch += 1) await standard.receive()
    await standard.send('b0')

    expect((await standard.receive())[0]).toBe('b0')
  })

  it('is no kinder than SQS: below thirty in flight a backlog comes first', async () => {
    await standard.send(...many('a', 60))
    for (let batch = 0; batch < 2; batch += 1) await standard.receive()
    await standard.send('b0')

    expect(await standard.receive()).not.toContain('b0')
  })

  it('hands out the messages of the noisy tenant with the fewest in flight first', async () => {
    await standard.send(...many('a', 50), ...many('b', 30))
    for (let batch = 0; batch < 8; batch += 1) await standard.receive()
    await standard.send(...many('a', 5), ...many('b', 5))

    expect(await standard.receive(5)).toEqual(many('b', 5))
  })

  it('keeps the order of messages within a tenant', async () => {
    await standard.send(...many('a', 40))
    for (let batch = 0; batch < 3; batch += 1) await standard.receive()

    expect(await standard.receive()).toEqual(many('a', 40).slice(30))
  })
})

describe('a FIFO queue of the embedded SQS', () => {
  it('hands out one message of each lane of a busy tenant, and then that of its neighbour', async () => {
    for (const text of many('a', 100)) {
      const lane = `a.example.com/${Number(text.slice(1)) % 4}`
      await call('SendMessage', { MessageBody: text, MessageGroupId: lane, MessageDeduplicationId: text })
    }
    await call('SendMessage', { MessageBody: 'b', MessageGroupId: 'b.example.com/0', MessageDeduplicationId: 'b' })

    const { Messages = [] } = await call('ReceiveMessage', { MaxNumberOfMessages: 10 })

    expect(Messages.map(({ Body }) => Body)).toEqual(['a0', 'a1', 'a2', 'a3', 'b'])
  })
})
