import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunningStore } from '../../../local/stores/dynamodb.ts'
import { startEmbeddedSqs } from '../../../local/stores/sqs.ts'

const standardUrl = 'http://sqs.us-east-1.localhost:4566/000000000000/Work'
const QueueUrl = `${standardUrl}.fifo`

let store: RunningStore

beforeEach(async () => {
  const arn = 'arn:aws:sqs:us-east-1:000000000000:Work'
  const attributes = { VisibilityTimeout: '60' }
  const fifoAttributes = { ...attributes, FifoQueue: 'true' }
  const dead = 'arn:aws:sqs:us-east-1:000000000000:Dead.fifo'
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead, maxReceiveCount: 3 })
  store = await startEmbeddedSqs([
    { name: 'Work', arn, url: standardUrl, attributes },
    { name: 'Dead.fifo', arn: dead, url: `${standardUrl.replace('Work', 'Dead')}.fifo`, attributes: fifoAttributes },
    { name: 'Work.fifo', arn: `${arn}.fifo`, url: QueueUrl, attributes: { ...fifoAttributes, RedrivePolicy } },
  ])
})

afterEach(() => store.close())

async function call(action: string, given: object) {
  const input = { QueueUrl, ...given }
  const body = Buffer.from(JSON.stringify(input))
  const contentType = 'application/x-amz-json-1.0'
  const answer = await store.backend({ action, target: `AmazonSQS.${action}`, contentType, body, input })
  return JSON.parse(String(answer.body)) as { Messages?: { Body: string; ReceiptHandle: string }[] }
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
  it('a standard queue delivers the message of a quiet tenant next when another tenant has thirty in flight and a backlog', async () => {
    await standard.send(...many('a', 60))
    for (let batch = 0; batch < 3; batch += 1) await standard.receive()
    await standard.send('b0')

    expect((await standard.receive())[0]).toBe('b0')
  })

  it('a standard queue is no fairer than SQS: below thirty messages in flight, a backlog is delivered first', async () => {
    await standard.send(...many('a', 60))
    for (let batch = 0; batch < 2; batch += 1) await standard.receive()
    await standard.send('b0')

    expect(await standard.receive()).not.toContain('b0')
  })

  it('a standard queue delivers the messages of the noisy tenant with the fewest in flight first', async () => {
    await standard.send(...many('a', 50), ...many('b', 30))
    for (let batch = 0; batch < 8; batch += 1) await standard.receive()
    await standard.send(...many('a', 5), ...many('b', 5))

    expect(await standard.receive(5)).toEqual(many('b', 5))
  })

  it('a standard queue keeps the order of messages within a tenant', async () => {
    await standard.send(...many('a', 40))
    for (let batch = 0; batch < 3; batch += 1) await standard.receive()

    expect(await standard.receive()).toEqual(many('a', 40).slice(30))
  })
})

/** A FIFO queue: sends messages with the group that their first letter names, or with another, and receives ten at a time. */
const fifo = {
  async send(...texts: string[]) {
    for (const text of texts) await this.sendTo(text.slice(0, 1), text)
  },
  async sendTo(MessageGroupId: string, ...texts: string[]) {
    for (const text of texts) {
      await call('SendMessage', { MessageBody: text, MessageGroupId, MessageDeduplicationId: text })
    }
  },
  async receive(most = 10, seconds = 60) {
    const wanted = { MaxNumberOfMessages: most, VisibilityTimeout: seconds }
    const { Messages = [] } = await call('ReceiveMessage', wanted)
    return Messages
  },
  async remove(messages: readonly { ReceiptHandle: string }[]) {
    for (const { ReceiptHandle } of messages) await call('DeleteMessage', { ReceiptHandle })
  },
}

const bodies = (messages: readonly { Body: string }[]) => messages.map(({ Body }) => Body)

describe('a FIFO queue of the embedded SQS', () => {
  it('a FIFO queue delivers as many messages of one group as fit into a batch, then those of the next', async () => {
    await fifo.send(...many('a', 12), ...many('b', 3))

    expect(bodies(await fifo.receive())).toEqual(many('a', 10))
    expect(bodies(await fifo.receive()), 'messages of the first group are in flight').toEqual(many('b', 3))
    expect(await fifo.receive()).toEqual([])
  })

  it('a FIFO queue fills the rest of a batch with messages of the next group', async () => {
    await fifo.send(...many('a', 4), ...many('b', 9))

    expect(bodies(await fifo.receive())).toEqual([...many('a', 4), ...many('b', 6)])
  })

  it('a FIFO queue fills the rest of a batch with other groups of the same tenant first', async () => {
    const lanes = ['a/0', 'b/0', 'a/1', 'c/0', 'a/2']
    for (const MessageGroupId of lanes) await fifo.sendTo(MessageGroupId, `${MessageGroupId} 1`, `${MessageGroupId} 2`)

    expect(bodies(await fifo.receive(5))).toEqual(['a/0 1', 'a/0 2', 'a/1 1', 'a/1 2', 'a/2 1'])
    expect(bodies(await fifo.receive()), 'those of its tenant first, then the others').toEqual([
      'b/0 1',
      'b/0 2',
      'c/0 1',
      'c/0 2',
    ])
  })

  it('a FIFO queue delivers no message of a group until all in flight are removed, and then those of other groups first', async () => {
    await fifo.send(...many('a', 12))
    const taken = await fifo.receive()
    await fifo.remove(taken.slice(0, 9))
    expect(await fifo.receive()).toEqual([])
    await fifo.send('b0')

    await fifo.remove(taken.slice(9))

    expect(bodies(await fifo.receive())).toEqual(['a10', 'a11', 'b0'])
    await fifo.send(...many('c', 12), ...many('d', 1))
    await fifo.remove(await fifo.receive())
    expect(bodies(await fifo.receive(1))).toEqual(['d0'])
  })

  it('a FIFO queue delivers returned messages again in their order', async () => {
    await fifo.send(...many('a', 5))
    const taken = await fifo.receive()
    for (const { ReceiptHandle } of taken)
      await call('ChangeMessageVisibility', { ReceiptHandle, VisibilityTimeout: 0 })

    expect(bodies(await fifo.receive(10, 0))).toEqual(many('a', 5))
    expect(bodies(await fifo.receive()), 'they returned by themselves').toEqual(many('a', 5))
  })

  it('a message that becomes a dead letter blocks neither its own group nor the next one', async () => {
    await fifo.send('a0')
    for (let times = 0; times < 3; times += 1) {
      const [{ ReceiptHandle } = { ReceiptHandle: '' }] = await fifo.receive()
      await call('ChangeMessageVisibility', { ReceiptHandle, VisibilityTimeout: 0 })
    }
    await fifo.send('b0', 'b1')

    const taken = await fifo.receive()
    await fifo.remove(taken)
    await fifo.send('a1', 'b2')

    expect(bodies(taken)).toEqual(['b0', 'b1'])
    expect(bodies(await fifo.receive())).toEqual(['a1', 'b2'])
  })

  it('a FIFO queue does not end a long poll for a message that cannot be received yet', async () => {
    await fifo.send('a0')
    const taken = await fifo.receive()
    const polling = call('ReceiveMessage', { MaxNumberOfMessages: 10, WaitTimeSeconds: 20 })
    await fifo.send('a1')

    await fifo.remove(taken)

    expect(bodies((await polling).Messages ?? [])).toEqual(['a1'])
  })
})
