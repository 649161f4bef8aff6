import { afterEach, beforeEach, expect, it } from 'vitest'
import { environment } from '../../../contracts/environment.ts'
import { readStatements } from '../../../packages/laptop/assembly/read-roles.ts'
import type { ServiceAnswer } from '../../../packages/laptop/gate/backend.ts'
import { Gate, type InnerCall } from '../../../packages/laptop/gate/gate.ts'
import { GateQueue } from '../../../packages/laptop/queues/gate-queue.ts'
import { type QueueStore, connectSqs, startEmbeddedSqs } from '../../../packages/laptop/stores/sqs.ts'
import { type CloudGate, startCloudGate } from '../../support/stores/cloud-gate.ts'
import { place } from '../../support/platform/small-assembly.ts'

const queue = {
  name: 'Work.fifo',
  arn: 'arn:aws:sqs:us-east-1:000000000000:Work.fifo',
  url: `${place.storesUrl}/000000000000/Work.fifo`,
  attributes: { FifoQueue: 'true', VisibilityTimeout: '60' },
}

const roleOf = (name: string, actions: readonly string[]) => ({
  name,
  arn: `arn:aws:iam::000000000000:role/${name}`,
  statements: readStatements({ Statement: { Effect: 'Allow', Action: [...actions], Resource: queue.arn } }),
})
const sender = roleOf('Sender', ['sqs:SendMessage'])
const worker = roleOf('Worker', ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'])

let store: QueueStore
let gate: Gate
let polled: GateQueue

beforeEach(async () => {
  store = await startEmbeddedSqs([queue])
  gate = gateBefore(store)
  polled = new GateQueue(gate, queue.url, worker.arn)
})

afterEach(() => store.close())

function gateBefore({ backend }: QueueStore): Gate {
  const none = () => Promise.reject(new Error('only queues are used'))
  const made = new Gate()
  made.serve(place, [sender, worker], { sqs: backend, dynamodb: none, secretsmanager: none, kms: none, s3: none })
  return made
}

/** Makes the queue of the poller one at another address. */
async function connectTo({ env }: CloudGate): Promise<QueueStore> {
  const endpoint = env[environment.sqsEndpoint] ?? ''
  const there = await connectSqs(endpoint, { accessKeyId: 'key', secretAccessKey: 'secret' }, [queue])
  polled = new GateQueue(gateBefore(there), queue.url, worker.arn)
  return there
}

/** Sends messages, each of a group of its own. */
async function send(...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const input = { QueueUrl: queue.url, MessageBody: text, MessageGroupId: text, MessageDeduplicationId: text }
    const { status } = await gate.callAs(sender.arn, { service: 'sqs', target: 'AmazonSQS.SendMessage', input })
    expect(status).toBe(200)
  }
}

/** How many messages of the queue can be received, and how many are in flight. */
async function counts(): Promise<{ readonly available: number; readonly inFlight: number }> {
  const input = { QueueUrl: queue.url, AttributeNames: ['All'] }
  const call: InnerCall = { service: 'sqs', target: 'AmazonSQS.GetQueueAttributes', input }
  const { body } = await gate.callAs(worker.arn, call)
  const { ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible } = JSON.parse(String(body)).Attributes
  return {
    available: Number(ApproximateNumberOfMessages),
    inFlight: Number(ApproximateNumberOfMessagesNotVisible),
  }
}

/** A queue whose store answers every call the same way, and the calls that reach it. */
function aQueueAnswering(answer: Partial<ServiceAnswer>) {
  const calls: (InnerCall & { readonly roleArn: string })[] = []
  const callAs = (roleArn: string, call: InnerCall) => {
    calls.push({ roleArn, ...call })
    return Promise.resolve({ status: 200, headers: {}, body: '{}', ...answer })
  }
  return { calls, answering: new GateQueue({ callAs }, queue.url, worker.arn) }
}

const bodies = (messages: readonly { readonly Body: string }[]) => messages.map(({ Body }) => Body)

it('a poller receives messages with their attributes through the gate', async () => {
  await send('first', 'second')

  const messages = await polled.receive(10)

  expect(bodies(messages)).toEqual(['first', 'second'])
  expect(messages[0]).toMatchObject({
    MessageId: expect.any(String),
    ReceiptHandle: expect.any(String),
    Attributes: { MessageGroupId: 'first', ApproximateReceiveCount: '1' },
  })
})

it('a poller takes as many messages as it asked for, ten with each call, and no more than wait', async () => {
  const names = Array.from({ length: 25 }, (_, at) => `message ${at}`)
  for (let first = 0; first < names.length; first += 10) await send(...names.slice(first, first + 10))

  expect(bodies(await polled.receive(20))).toEqual(names.slice(0, 20))
  expect(bodies(await polled.receive(20))).toEqual(names.slice(20))
})

it('a poller deletes finished messages through the gate and leaves the others in flight', async () => {
  await send('first', 'second', 'third')
  const messages = await polled.receive(10)

  await polled.remove(messages.slice(0, 2))

  expect(await counts()).toEqual({ available: 0, inFlight: 1 })
})

it('a poller uses a queue at another address by the URL that the queue has there', async () => {
  const QueueUrl = 'https://sqs.example.com/1/Work.fifo'
  const message = { MessageId: 'a', ReceiptHandle: 'handle-a', Body: 'first' }
  const cloud = await startCloudGate()
  cloud.answer = ({ action }) => ({
    status: 200,
    body: { CreateQueue: { QueueUrl }, ReceiveMessage: { Messages: [message] } }[action] ?? {},
  })
  const there = await connectTo(cloud)
  try {
    const messages = await polled.receive(10)
    await polled.remove(messages)

    expect(messages).toEqual([message])
    expect(cloud.calls).toMatchObject([
      { action: 'CreateQueue' },
      { action: 'ReceiveMessage', input: { QueueUrl, MaxNumberOfMessages: 10 } },
      { action: 'DeleteMessageBatch', input: { QueueUrl, Entries: [{ Id: '0', ReceiptHandle: 'handle-a' }] } },
    ])
  } finally {
    await there.close()
    await cloud.close()
  }
})

it('a poller learns that its queue at another address does not answer', async () => {
  const cloud = await startCloudGate()
  cloud.answer = ({ action }) =>
    action === 'CreateQueue' ? { status: 200, body: { QueueUrl: 'https://sqs.example.com/1/Work.fifo' } } : 'lost'
  const there = await connectTo(cloud)
  try {
    await expect(polled.receive(10)).rejects.toThrow(/closed|reset/i)
  } finally {
    await there.close()
    await cloud.close()
  }
})

it('a poller asks for ten messages at most and waits for a second at most', async () => {
  const { calls, answering } = aQueueAnswering({})

  expect(await answering.receive(100)).toEqual([])
  await answering.receive(3)

  expect(calls).toMatchObject([
    { roleArn: worker.arn, input: { MaxNumberOfMessages: 10, WaitTimeSeconds: 1 } },
    { roleArn: worker.arn, input: { MaxNumberOfMessages: 3, WaitTimeSeconds: 1 } },
  ])
})

it('a poller whose role may not use its queue is refused in the words of the gate', async () => {
  const refused = new GateQueue(gate, queue.url, sender.arn)
  const problem = (action: string) =>
    `AccessDeniedException: User: ${sender.arn} is not authorized to perform: sqs:${action} on resource: ${queue.arn} because no identity-based policy allows the sqs:${action} action`

  await expect(refused.receive(1)).rejects.toThrow(problem('ReceiveMessage'))
  await expect(refused.remove([{ MessageId: 'a', ReceiptHandle: 'b', Body: '' }])).rejects.toThrow(
    problem('DeleteMessage'),
  )
})

it.each([
  [
    'its type and message',
    '{"__type":"com.amazonaws.sqs#RequestThrottled","message":"slow"}',
    'RequestThrottled: slow',
  ],
  ['status when it names no type', '<html>', 'the queue store answered status 503'],
])("a failed call to a store of queues is reported with the answer's %s", async (_name, body, message) => {
  const { answering } = aQueueAnswering({ status: 503, body })

  await expect(answering.receive(1)).rejects.toThrow(message)
})

it('a poller accepts no messages of another form than SQS has', async () => {
  const { answering } = aQueueAnswering({ body: '{"Messages":[{"MessageId":"a"}]}' })

  await expect(answering.receive(1)).rejects.toThrow('ReceiptHandle')
})

it('closing a queue ends a long poll at once, and a later message is available to the next poller', async () => {
  const waiting = polled.receive(10)

  polled.close()

  await expect(waiting).rejects.toThrow('aborted')
  await send('first')
  expect(bodies(await new GateQueue(gate, queue.url, worker.arn).receive(10))).toEqual(['first'])
})

it('a closed queue asks its store for no more messages', async () => {
  const { calls, answering } = aQueueAnswering({})

  answering.close()

  await expect(answering.receive(10)).rejects.toThrow('aborted')
  expect(calls).toEqual([])
})

it('a message that is finished after its queue was closed is still deleted', async () => {
  await send('first')
  const messages = await polled.receive(10)
  polled.close()

  await polled.remove(messages)

  expect(await counts()).toEqual({ available: 0, inFlight: 0 })
})

it.each([
  ['twice is tried a third time', 2, 3, 'deleted'],
  ['three times is left to be received again', 3, 3, 'other side closed'],
])('a deletion that fails %s', async (_what, failures, attempts, end) => {
  let calls = 0
  const callAs = async (): Promise<ServiceAnswer> => {
    calls += 1
    if (calls <= failures) throw new Error('other side closed')
    return { status: 200, headers: {}, body: '{}' }
  }
  const failing = new GateQueue({ callAs }, queue.url, worker.arn, async () => {})
  const removal = failing.remove([{ MessageId: 'm', ReceiptHandle: 'r', Body: '' }])

  expect(
    await removal.then(
      () => 'deleted',
      ({ message }) => message,
    ),
  ).toBe(end)
  expect(calls).toBe(attempts)
})
