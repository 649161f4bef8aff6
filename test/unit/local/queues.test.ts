import { describe, expect, it, vi } from 'vitest'
import { Poller, holdMs } from '../../../packages/laptop/queues/poller.ts'
import { doneMessages, queueEvent } from '../../../packages/laptop/queues/queue-event.ts'
import { batchesAtOnce } from '../../../local/platform/batches-at-once.ts'
import { byTenant } from '../../../local/platform/message-groups.ts'
import type { ReceivedMessage } from '../../../packages/laptop/queues/received-message.ts'

const aMessage = (id: string): ReceivedMessage => ({ MessageId: id, ReceiptHandle: `handle-${id}`, Body: `body-${id}` })
const messages = [aMessage('a'), aMessage('b'), aMessage('c')]
const ids = (list: readonly ReceivedMessage[]) => list.map(({ MessageId }) => MessageId)

it('a batch reaches a function in the form that Lambda gives it', () => {
  const message = { ...aMessage('a'), MD5OfBody: 'md5', Attributes: { MessageGroupId: 'g' } }

  expect(queueEvent({ arn: 'arn:queue' }, [message])).toEqual({
    Records: [
      {
        messageId: 'a',
        receiptHandle: 'handle-a',
        body: 'body-a',
        attributes: { MessageGroupId: 'g' },
        messageAttributes: {},
        md5OfBody: 'md5',
        eventSource: 'aws:sqs',
        eventSourceARN: 'arn:queue',
        awsRegion: 'us-east-1',
      },
    ],
  })
})

describe('of a batch are done with', () => {
  it.each([
    ['all, when no failure is reported', { batchItemFailures: [] }, ['a', 'b', 'c']],
    ['all, when there is no list', {}, ['a', 'b', 'c']],
    ['all, when there is no answer', null, ['a', 'b', 'c']],
    ['all but those reported', { batchItemFailures: [{ itemIdentifier: 'b' }] }, ['a', 'c']],
    ['none, when a reported one is not in the batch', { batchItemFailures: [{ itemIdentifier: 'x' }] }, []],
    ['none, when a reported one has no id', { batchItemFailures: [{ itemIdentifier: '' }] }, []],
    ['none, when the answer has another form', { batchItemFailures: 'a' }, []],
  ])("a function's answer finishes the right messages of a batch: %s", (_name, answer, expected) => {
    expect(ids(doneMessages(messages, answer, true))).toEqual(expected)
  })

  it('all messages of a batch are finished if the mapping does not ask for a report', () => {
    expect(ids(doneMessages(messages, { batchItemFailures: [{ itemIdentifier: 'b' }] }, false))).toEqual([
      'a',
      'b',
      'c',
    ])
  })
})

/** A queue that hands out batches one after another, then nothing. */
function aQueue(batches: (readonly ReceivedMessage[] | Error)[]) {
  const removed: string[] = []
  return {
    removed,
    async receive() {
      await new Promise((resolve) => setImmediate(resolve))
      const next = batches.shift() ?? []
      if (next instanceof Error) throw next
      return next
    },
    remove: (done: readonly ReceivedMessage[]) => Promise.resolve(void removed.push(...ids(done))),
  }
}

describe('a poller', () => {
  it('finished events of one tenant are removed while those of another tenant in the batch are still processed', async () => {
    const ofTenant = (domain: string) => ({ ...aMessage(domain), Attributes: { MessageGroupId: `${domain}/0` } })
    const queue = aQueue([[ofTenant('busy.example.com'), ofTenant('quiet.example.com')]])
    const work = Promise.withResolvers<void>()
    const removedOfQuiet = Promise.withResolvers<void>()
    const handle = async (batch: readonly ReceivedMessage[]) => {
      if (ids(batch).includes('busy.example.com')) await work.promise
      return batch
    }
    const remove = async (done: readonly ReceivedMessage[]) => {
      await queue.remove(done)
      removedOfQuiet.resolve()
    }
    const options = { batchSize: 10, concurrency: 1, divide: byTenant, onError: () => {} }
    const poller = new Poller({ ...options, queue: { ...queue, remove }, handle })

    await removedOfQuiet.promise
    expect(queue.removed).toEqual(['quiet.example.com'])

    work.resolve()
    await poller.stop()
    expect(queue.removed).toEqual(['quiet.example.com', 'busy.example.com'])
  })

  it('messages of groups that do not name a tenant stay in one batch', () => {
    const one = { ...aMessage('a'), Attributes: { MessageGroupId: 'leg-1' } }
    const other = { ...aMessage('b'), Attributes: { MessageGroupId: 'leg-2' } }

    expect(byTenant([one, other, aMessage('c')], 10)).toEqual([[one, other, aMessage('c')]])
  })

  it('messages that were taken together reach the function in batches of one tenant, none larger than the size of a batch', () => {
    const ofTenant = (id: string, domain: string) => ({
      ...aMessage(id),
      Attributes: { MessageGroupId: `${domain}/0.1` },
    })
    const given = ['a', 'b', 'c'].flatMap((id) => [ofTenant(`busy ${id}`, 'busy'), ofTenant(`calm ${id}`, 'calm')])

    expect(byTenant(given, 2).map(ids)).toEqual([['busy a', 'busy b'], ['busy c'], ['calm a', 'calm b'], ['calm c']])
  })

  it('messages of one group of a FIFO queue are never divided, so that they keep their order', () => {
    const inLane = (id: string, lane: number) => {
      return { ...aMessage(id), Attributes: { MessageGroupId: `busy/${lane}`, SequenceNumber: id } }
    }
    const given = [inLane('a', 1), inLane('b', 1), inLane('c', 2), inLane('d', 2), inLane('e', 3)]

    expect(byTenant(given, 3).map(ids)).toEqual([
      ['a', 'b'],
      ['c', 'd', 'e'],
    ])
  })

  it('a poller removes finished messages and leaves the rest to the queue', async () => {
    const queue = aQueue([messages])
    const handle = (batch: readonly ReceivedMessage[]) => Promise.resolve(batch.slice(0, 2))
    const poller = new Poller({ queue, batchSize: 10, concurrency: 2, handle, onError: () => {} })

    await poller.stop()

    expect(queue.removed).toEqual(['a', 'b'])
  })

  it('a poller removes no message of a batch whose function failed, and continues', async () => {
    const errors: unknown[] = []
    const queue = aQueue([[aMessage('a')], [aMessage('b')]])
    const handle = (batch: readonly ReceivedMessage[]) =>
      batch[0]?.MessageId === 'a' ? Promise.reject(new Error('bad day')) : Promise.resolve(batch)
    const poller = new Poller({ queue, batchSize: 10, concurrency: 1, handle, onError: (error) => errors.push(error) })

    await poller.stop()

    expect(queue.removed).toEqual(['b'])
    expect(errors).toHaveLength(1)
  })

  it('a poller processes no more batches at a time than allowed', async () => {
    let [running, most] = [0, 0]
    const queue = aQueue(['a', 'b', 'c', 'd', 'e'].map((id) => [aMessage(id)]))
    const handle = async (batch: readonly ReceivedMessage[]) => {
      running += 1
      most = Math.max(most, running)
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      return batch
    }
    const poller = new Poller({ queue, batchSize: 1, concurrency: 2, handle, onError: () => {} })

    await poller.stop()

    expect([most, queue.removed]).toEqual([2, ['a', 'b', 'c', 'd', 'e']])
  })

  it('a batch that takes longer than a second is not counted, up to the most at one time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const end = Promise.withResolvers<void>()
      const begun: string[] = []
      const queue = aQueue(['a', 'b', 'c', 'd'].map((id) => [aMessage(id)]))
      const handle = async (batch: readonly ReceivedMessage[]) => {
        begun.push(...ids(batch))
        await end.promise
        return batch
      }
      const poller = new Poller({ queue, batchSize: 1, concurrency: 1, most: 3, handle, onError: () => {} })
      const seen: string[] = []
      for (const ms of [holdMs - 1, 1, holdMs, holdMs]) {
        await vi.advanceTimersByTimeAsync(ms)
        await new Promise((resolve) => setImmediate(resolve))
        seen.push(begun.join(''))
      }
      end.resolve()
      await poller.stop()

      expect(seen).toEqual(['a', 'ab', 'abc', 'abc'])
      expect(begun.join('')).toBe('abcd')
    } finally {
      vi.useRealTimers()
    }
  })

  it.each([1, 2])(
    'calls no function once its patience has ended, although its queue still has messages and %i batches may run',
    async (concurrency) => {
      const [began, end, patience] = [
        Promise.withResolvers<void>(),
        Promise.withResolvers<void>(),
        new AbortController(),
      ]
      const handled: string[] = []
      const given = [[aMessage('a')]]
      const queue = { ...aQueue(given), receive: async () => given.shift() ?? (await later.promise) }
      const later = Promise.withResolvers<readonly ReceivedMessage[]>()
      const handle = async (batch: readonly ReceivedMessage[]) => {
        handled.push(...ids(batch))
        began.resolve()
        await end.promise
        return batch
      }
      const poller = new Poller({ queue, batchSize: 1, concurrency, handle, onError: () => {} })
      await began.promise

      const stopped = poller.stop(patience.signal)
      patience.abort()
      await stopped
      end.resolve()
      later.resolve([aMessage('b')])
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))

      expect(handled).toEqual(['a'])
    },
  )

  it('a poller tries again after its queue refused it', async () => {
    const recovered = Promise.withResolvers<void>()
    const queue = aQueue([new Error('away'), [aMessage('a')]])
    const handle = (batch: readonly ReceivedMessage[]) => {
      recovered.resolve()
      return Promise.resolve(batch)
    }
    const poller = new Poller({ queue, batchSize: 1, concurrency: 1, handle, onError: () => {}, restMs: 0 })

    await recovered.promise
    await poller.stop()

    expect(queue.removed).toEqual(['a'])
  })
})

it.each([
  ['the queue of deliveries', 'deliveries', 200, { concurrency: 2, most: 5 }],
  ['any other queue', 'events', undefined, { concurrency: 20, most: 20 }],
  ['a queue that the template limits', 'events', 2, { concurrency: 2, most: 2 }],
  ['a queue for which the template allows more', 'events', 100, { concurrency: 20, most: 100 }],
])('%s: a laptop works on the stated number of batches at one time', (_name, url, maximumConcurrency, batches) => {
  const called = { environment: { QUEUE_DELIVERIES: 'deliveries' } }

  expect(batchesAtOnce({ maximumConcurrency }, { queue: { url }, called })).toEqual(batches)
})
