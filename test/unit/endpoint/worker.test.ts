import type { SQSEvent, SQSRecord } from 'aws-lambda'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { handler as delivering } from '../../../functions/hooks/deliver.ts'
import { handler as dispatching } from '../../../functions/hooks/hook-dispatch.ts'
import { handler as dispatchHandler } from '../../../functions/hooks/hook-dispatch.ts'
import { type HandleMessage, type WorkerOptions, createWorker } from '../../../functions/worker.ts'
import type { ReadingWorker } from '../../../functions/worker/message-reading.ts'
import { aContext, anApi } from '../../support/platform/api.ts'
import { aHook, anEvent } from '../../support/records/records.ts'

const [deliver, hookDispatch] = [delivering.record, dispatching.record]

afterEach(() => vi.useRealTimers())

/** A message of a queue; its id is its body's where a test names none. */
function aRecord(messageId: string, body: string, group = 'g'): SQSRecord {
  return {
    messageId,
    body,
    receiptHandle: '',
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '0',
      SenderId: '',
      ApproximateFirstReceiveTimestamp: '0',
      MessageGroupId: group,
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: '',
    awsRegion: '',
  }
}

const event = (id: string, group?: string) => aRecord(id, JSON.stringify({ version: 1, ...anEvent({ id }) }), group)
const delivery = (id: string) =>
  aRecord(id, JSON.stringify({ version: 1, id, domain: 'a.example.com', hookId: 'h', attempt: 1, dueAt: 1 }))

/** A worker over memory whose handler is the test's; it answers the ids of the messages to come again. */
function setUp<const W extends ReadingWorker>(record: W, handle: HandleMessage<W>, options: WorkerOptions<W> = {}) {
  const api = anApi()
  // Memory has every port, whichever the worker names.
  const handler = createWorker(record, api.ports as never, handle, api.tools, options)
  const run = async (records: SQSRecord[], context = aContext) => {
    const batch: SQSEvent = { Records: records }
    return (await handler(batch, context)).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
  }
  return { api, run }
}

describe('a batch of a FIFO queue', () => {
  it('a batch of a FIFO queue is handled group by group, each in its order', async () => {
    const seen: string[] = []
    const { run } = setUp(hookDispatch, async ({ id }) => {
      await Promise.resolve()
      seen.push(id)
    })

    const failed = await run([event('a1', 'a'), event('b1', 'b'), event('a2', 'a'), event('b2', 'b')])

    expect(failed).toEqual([])
    expect(seen.filter((id) => id.startsWith('a'))).toEqual(['a1', 'a2'])
    expect(seen.filter((id) => id.startsWith('b'))).toEqual(['b1', 'b2'])
  })

  it('in a batch of a FIFO queue, messages wait for a failed one of their group, and other groups go on', async () => {
    const seen: string[] = []
    const { api, run } = setUp(hookDispatch, async ({ id }) => {
      seen.push(id)
      if (id === 'a2') throw new Error('store away')
    })

    const failed = await run([event('a1', 'a'), event('a2', 'a'), event('b1', 'b'), event('a3', 'a'), event('b2', 'b')])

    expect(failed).toEqual(['a2', 'a3'])
    expect(seen).not.toContain('a3')
    expect(seen).toEqual(expect.arrayContaining(['b1', 'b2']))
    expect(api.log.lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'message not handled', keys: { messageId: 'a2' } }),
    )
  })

  it.each(['not JSON', '{}', '[]', '{"version":2,"id":"x"}', ''])(
    "an unreadable message %j of a FIFO queue's batch is redelivered alone, and nothing of it is logged",
    async (body) => {
      const seen: string[] = []
      const { api, run } = setUp(hookDispatch, async ({ id }) => void seen.push(id))
      const planted = body.replace('x', 'planted')

      const failed = await run([event('1'), aRecord('bad', planted), ...['2', '3'].map((id) => event(id))])

      expect(failed).toEqual(['bad'])
      expect(seen).toEqual(['1', '2', '3'])
      expect(JSON.stringify(api.log.lines)).not.toContain('planted')
    },
  )
})

describe('a batch of a standard queue', () => {
  it("the messages of a standard queue's batch are handled all at once, so that a slow one delays no other", async () => {
    const seen: string[] = []
    let release = () => {}
    const slow = new Promise<void>((resolve) => {
      release = resolve
    })
    const { run } = setUp(deliver, async ({ id }) => {
      if (id === '1') await slow
      seen.push(id)
      if (seen.length === 2) release()
    })

    expect(await run([delivery('1'), delivery('2'), delivery('3')])).toEqual([])
    expect(seen).toEqual(['2', '3', '1'])
  })

  it('in a batch of a standard queue only a failed message is redelivered', async () => {
    const { run } = setUp(deliver, async ({ id }) => {
      if (id === '2') throw new Error('store away')
    })

    expect(await run([delivery('1'), delivery('2'), delivery('3')])).toEqual(['2'])
  })

  it('the unfinished messages of a batch that runs out of time are redelivered', async () => {
    vi.useFakeTimers()
    const { run } = setUp(deliver, ({ id }) => (id === '1' ? Promise.resolve() : new Promise(() => {})))

    const failed = run([delivery('1'), delivery('2')], { getRemainingTimeInMillis: () => 10_000 })
    await vi.advanceTimersByTimeAsync(9_500)

    expect(await failed).toEqual(['2'])
  })

  it("only the unfinished domain's events of a batch that runs out of time are redelivered", async () => {
    vi.useFakeTimers()
    const { ports, tools } = anApi()
    await ports.hooks.create([aHook(), aHook({ domain: 'stuck.example.com' })], 100)
    const eventLogWriter: typeof ports.eventLogWriter = {
      ...ports.eventLogWriter,
      take: (domain, ...numbers) =>
        domain === 'stuck.example.com' ? new Promise(() => {}) : ports.eventLogWriter.take(domain, ...numbers),
    }
    const stuck = aRecord('2', JSON.stringify({ version: 1, ...anEvent({ domain: 'stuck.example.com' }) }))
    const dispatch = dispatchHandler.over({ ...ports, eventLogWriter }, tools)

    const ended = dispatch({ Records: [event('1'), stuck] }, { getRemainingTimeInMillis: () => 10_000 })
    await vi.advanceTimersByTimeAsync(9_500)

    expect((await ended).batchItemFailures).toEqual([{ itemIdentifier: '2' }])
  })
})
