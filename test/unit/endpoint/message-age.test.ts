import type { SQSRecord } from 'aws-lambda'
import { expect, test } from 'vitest'
import { handler as delivering } from '../../../functions/hooks/deliver.ts'
import { handler as dispatching } from '../../../functions/hooks/hook-dispatch.ts'
import { createWorker } from '../../../functions/worker.ts'
import type { ReadingWorker } from '../../../functions/worker/message-reading.ts'
import { aContext, anApi } from '../../support/platform/api.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { anEvent } from '../../support/records/records.ts'

const [deliver, hookDispatch] = [delivering.record, dispatching.record]

/** A worker that handles everything, and a way to give it one message of an age. */
function aWorker(record: ReadingWorker) {
  const api = anApi()
  const log = capturedLog()
  // Memory has every port, whichever the worker names.
  const handler = createWorker(record, api.ports as never, async () => {}, { ...api.tools, log })
  const handle = (given: { body: object; sentMsAgo: number; receives?: number }) =>
    handler({ Records: [aRecord(given.body, api.clock.now() - given.sentMsAgo, given.receives ?? 1)] }, aContext)
  const ages = () => log.lines.filter(({ message }) => message === 'messages wait').map(({ keys }) => keys['ageMs'])
  return { api, handle, ages }
}

function aRecord(body: object, sentAt: number, receives: number): SQSRecord {
  return {
    messageId: 'm',
    body: JSON.stringify(body),
    receiptHandle: '',
    attributes: {
      ApproximateReceiveCount: `${receives}`,
      SentTimestamp: `${sentAt}`,
      SenderId: '',
      ApproximateFirstReceiveTimestamp: '0',
      MessageGroupId: 'g',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: '',
    awsRegion: '',
  }
}

const event = { version: 1, ...anEvent() }

test('a worker logs how long the oldest message of a batch has waited, once in half a minute', async () => {
  const { api, handle, ages } = aWorker(hookDispatch)

  await handle({ body: event, sentMsAgo: 9_999 })
  await handle({ body: event, sentMsAgo: 12_000 })
  await handle({ body: event, sentMsAgo: 13_000 })
  api.clock.move(30_000)
  await handle({ body: event, sentMsAgo: 20_000 })

  expect(ages()).toEqual([12_000, 20_000])
})

test('a worker still logs the age of messages when the clock was set back', async () => {
  const { api, handle, ages } = aWorker(hookDispatch)
  await handle({ body: event, sentMsAgo: 12_000 })

  api.clock.move(-3_600_000)
  await handle({ body: event, sentMsAgo: 20_000 })

  expect(ages()).toEqual([12_000, 20_000])
})

test('the logged age of messages is stored for the status report, and messages are handled even if that fails', async () => {
  const { api, handle } = aWorker(hookDispatch)

  await handle({ body: event, sentMsAgo: 12_000 })
  const noted = await api.ports.connectorStatus.listWaits(0)
  api.ports.connectorStatus.noteWait = () => Promise.reject(new Error('store away'))
  api.clock.move(30_000)
  const { batchItemFailures } = await handle({ body: event, sentMsAgo: 12_000 })

  expect(noted).toEqual([{ stage: 'hookDispatch', ageMs: 12_000, at: api.clock.now() - 30_000 }])
  expect(batchItemFailures).toEqual([])
})

test('a message that is received again does not count as waiting', async () => {
  const { handle, ages } = aWorker(hookDispatch)

  await handle({ body: event, sentMsAgo: 60_000, receives: 2 })

  expect(ages()).toEqual([])
})

test('a delivery waits since the time at which it was due, not since its message was queued', async () => {
  const { api, handle, ages } = aWorker(deliver)
  const due = (msAgo: number) => ({
    version: 1,
    id: 'd',
    domain: 'a.example.com',
    hookId: 'h',
    attempt: 1,
    dueAt: api.clock.now() - msAgo,
  })

  await handle({ body: due(100), sentMsAgo: 900_000 })
  await handle({ body: due(15_000), sentMsAgo: 900_000 })

  expect(ages()).toEqual([15_000])
})
