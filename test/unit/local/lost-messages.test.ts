import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { recordLostMessages } from '../../../local/platform/begin-queues.ts'
import { checkpointMs } from '../../../local/stores/queue-checkpoint.ts'
import { type QueueStore, startEmbeddedSqs } from '../../../local/stores/sqs.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { type ManualTime, manualTime } from '../../support/processes/manual-time.ts'
import { aReport } from '../../support/records/records.ts'

const queue = {
  name: 'Events.fifo',
  arn: 'arn:aws:sqs:us-east-1:000000000000:Events.fifo',
  url: 'http://sqs.us-east-1.localhost:4566/000000000000/Events.fifo',
  attributes: { FifoQueue: 'true', VisibilityTimeout: '60' },
}

let folder: string
let time: ManualTime
let running: QueueStore[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lost-messages-'))
  time = manualTime()
  running = []
})

afterEach(async () => {
  for (const store of running) await store.close().catch(() => {})
  rmSync(folder, { recursive: true })
})

const file = () => join(folder, 'queues.json')
const checkpointFile = () => join(folder, 'queues-checkpoint.json')

/** Starts the queues over what an earlier start left; one that was not closed counts as killed. */
async function start(): Promise<QueueStore> {
  const store = await startEmbeddedSqs([queue], {
    ...time,
    file: file(),
    checkpointFile: checkpointFile(),
    keeps: () => true,
  })
  running.push(store)
  return store
}

async function begin(): Promise<QueueStore> {
  const store = await start()
  await store.run?.begin()
  return store
}

async function call(store: QueueStore, action: string, given: object) {
  const input = { QueueUrl: queue.url, ...given }
  const body = Buffer.from(JSON.stringify(input))
  const contentType = 'application/x-amz-json-1.0'
  const answer = await store.backend({ action, target: `AmazonSQS.${action}`, contentType, body, input })
  return JSON.parse(String(answer.body)) as { Messages?: { Body: string; ReceiptHandle: string }[] }
}

/** Sends an event that occurred so long ago. */
async function send(store: QueueStore, agoMs: number): Promise<number> {
  const occurredAt = time.clock.now() - agoMs
  const MessageDeduplicationId = String(agoMs)
  await call(store, 'SendMessage', {
    MessageBody: JSON.stringify({ occurredAt }),
    MessageGroupId: 'one',
    MessageDeduplicationId,
  })
  return occurredAt
}

/** Receives every message and deletes it. Returns how many there were. */
async function handleAll(store: QueueStore): Promise<number> {
  const { Messages: [message] = [] } = await call(store, 'ReceiveMessage', { MaxNumberOfMessages: 1 })
  if (message === undefined) return 0
  await call(store, 'DeleteMessage', { ReceiptHandle: message.ReceiptHandle })
  return 1 + (await handleAll(store))
}

test('a first start and a start after an orderly stop lose no messages', async () => {
  const first = await begin()
  await send(first, 0)
  await first.close()

  const second = await begin()

  expect([first.run?.lost, second.run?.lost, await handleAll(second)]).toEqual([undefined, undefined, 1])
})

test('waiting messages are lost when the platform is killed, from the time of the oldest event on', async () => {
  const killed = await begin()
  const oldest = await send(killed, 3_600_000)
  await send(killed, 1_000)
  await time.advance(checkpointMs)

  const next = await start()

  expect(next.run?.lost).toEqual({ from: oldest, knownAt: time.clock.now() })
})

test('a message in flight when the platform is killed counts as lost', async () => {
  const killed = await begin()
  const occurredAt = await send(killed, 60_000)
  await call(killed, 'ReceiveMessage', { MaxNumberOfMessages: 1 })
  await time.advance(checkpointMs)

  const next = await start()

  expect(next.run?.lost?.from).toBe(occurredAt)
})

test('only events after the last checkpoint count as lost if everything before it was handled', async () => {
  const killed = await begin()
  await send(killed, 60_000)
  await handleAll(killed)
  await time.advance(checkpointMs)
  const checkpointAt = time.clock.now()
  await time.advance(checkpointMs - 1)

  const next = await start()

  expect(next.run?.lost).toEqual({ from: checkpointAt, knownAt: checkpointAt })
})

test('messages that a stop cannot write are lost', async () => {
  const store = await begin()
  const occurredAt = await send(store, 60_000)
  await time.advance(checkpointMs)
  mkdirSync(`${file()}.new`)
  await expect(store.close()).rejects.toThrow('EISDIR')

  const next = await start()

  expect(next.run?.lost?.from).toBe(occurredAt)
})

test('a truncated file of stored messages returns its complete lines, and the rest counts as lost', async () => {
  const store = await begin()
  const oldest = await send(store, 2_000)
  await send(store, 1_000)
  await store.close()
  writeFileSync(file(), readFileSync(file()).subarray(0, -20))

  const next = await start()

  expect([next.run?.lost?.from, await handleAll(next)]).toEqual([oldest, 1])
})

test('a missing file of stored messages counts as a loss', async () => {
  const store = await begin()
  const occurredAt = await send(store, 2_000)
  await store.close()
  rmSync(file())

  expect((await start()).run?.lost?.from).toBe(occurredAt)
})

test('an unreadable checkpoint counts as an unclean end at the time of the file', async () => {
  await (await begin()).close()
  writeFileSync(checkpointFile(), '')
  utimesSync(checkpointFile(), 1_000, 1_000)

  expect((await start()).run?.lost?.from).toBe(1_000_000)
})

test('a noticed loss is reported until a run has begun, even after a start that failed', async () => {
  const store = await begin()
  const occurredAt = await send(store, 2_000)
  await store.close()
  writeFileSync(file(), `${String(readFileSync(file()))}damaged`)
  rmSync(checkpointFile())
  utimesSync(file(), 1_000, 1_000)
  const before = String(readFileSync(file()))

  const failed = await start()
  await failed.close()
  const next = await begin()
  await next.close()

  expect([failed.run?.lost?.from, next.run?.lost?.from]).toEqual([1_000_000, 1_000_000])
  expect(before).toContain(String(occurredAt))
  expect((await start()).run?.lost).toBeUndefined()
})

test('the gap of lost messages has the reason queue-lost and ends at the start that found the loss', async () => {
  const { gaps } = memoryPorts({ clock: time.clock, random: systemRandomness })
  const lost = { from: time.clock.now() - 60_000, knownAt: time.clock.now() - 10_000 }

  await recordLostMessages({ gaps, connectorStatus: { list: async () => [] }, clock: time.clock }, lost)

  expect(await gaps.list(0)).toMatchObject([
    { reason: 'queue-lost', engine: '', from: lost.from, to: time.clock.now() },
  ])
})

test('the gap of lost messages begins at the time up to which a connector with older events had handed them over', async () => {
  const { gaps } = memoryPorts({ clock: time.clock, random: systemRandomness })
  const now = time.clock.now()
  const report = { ...aReport(), reportedAt: now - 12_000, handedOverTo: now - 3_600_000 }
  const connectorStatus = { list: async (since: number) => [report].filter(({ reportedAt }) => reportedAt >= since) }

  await recordLostMessages({ gaps, connectorStatus, clock: time.clock }, { from: now - 60_000, knownAt: now - 10_000 })

  expect((await gaps.list(0))[0]?.from).toBe(now - 3_600_000)
})
