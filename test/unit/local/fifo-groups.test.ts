import { expect, it } from 'vitest'
import { makeQueuesFair } from '../../../local/stores/fair-sqs.ts'

interface FifoQueue {
  readonly fifoMessages: ReadonlyMap<string, object[]>
  enqueue(message: object): void
  dequeue(most: number): { readonly ReceiptHandle: string; readonly Body: string }[]
  deleteMessage(receiptHandle: string): boolean
}

/** A FIFO queue of the embedded SQS that holds a message of each of these groups. */
async function aQueueOf(groups: readonly string[]): Promise<FifoQueue> {
  await makeQueuesFair()
  const { href } = new URL('sqs/sqsStore.js', import.meta.resolve('fauxqs'))
  const { SqsStore } = await import(href)
  const attributes = { VisibilityTimeout: '60', FifoQueue: 'true' }
  const queue = new SqsStore().createQueue('Work.fifo', 'http://sqs/Work.fifo', 'arn:aws:sqs:x:0:Work.fifo', attributes)
  for (const [index, group] of groups.entries()) {
    const message = SqsStore.createMessage(group, {}, undefined, group, String(index))
    message.sequenceNumber = String(index).padStart(20, '0')
    queue.enqueue(message)
  }
  return queue
}

const lanes = Array.from({ length: 50 }, (_, tenant) => [0, 1, 2, 3].map((lane) => `t${tenant}.test/${lane}`)).flat()

it('a FIFO queue that was emptied remembers none of its groups', async () => {
  const queue = await aQueueOf(lanes)
  const taken: string[] = []
  for (let batch = queue.dequeue(10); batch.length > 0; batch = queue.dequeue(10)) {
    taken.push(...batch.map(({ Body }) => Body))
    for (const { ReceiptHandle } of batch) queue.deleteMessage(ReceiptHandle)
  }

  expect(taken.toSorted()).toEqual(lanes.toSorted())
  expect([...queue.fifoMessages.keys()]).toEqual([])
})

it('a FIFO queue whose message cannot be delivered still delivers those of other tenants', async () => {
  const queue = await aQueueOf(['a.test/0', 'a.test/1', 'b.test/0'])
  Object.defineProperty(queue.fifoMessages.get('a.test/1')?.[0] ?? {}, 'body', {
    get: () => {
      throw new Error('cannot be read')
    },
  })

  expect(() => queue.dequeue(10)).toThrow('cannot be read')

  expect([...queue.fifoMessages.keys()]).toContain('b.test/0')
  expect(queue.dequeue(10).map(({ Body }) => Body)).toEqual(['b.test/0'])
})
