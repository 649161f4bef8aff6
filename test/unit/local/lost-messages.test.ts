import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { openDataFolder } from '../../../local/data/data-folder.ts'
import { recordLostMessages } from '../../../local/platform/begin-queues.ts'
import { type QueueStore, startEmbeddedSqs } from '../../../packages/laptop/stores/sqs.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aReport } from '../../support/records/records.ts'

const queue = {
  name: 'Events.fifo',
  arn: 'arn:aws:sqs:us-east-1:000000000000:Events.fifo',
  url: 'http://sqs.us-east-1.localhost:4566/000000000000/Events.fifo',
  attributes: { FifoQueue: 'true', VisibilityTimeout: '60' },
}

let folder: string
let running: QueueStore[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lost-messages-'))
  running = []
})

afterEach(async () => {
  for (const store of running) await store.close().catch(() => {})
  rmSync(folder, { recursive: true })
})

/** Starts the queues over what an earlier start left; one that was not closed counts as killed. */
async function start(): Promise<QueueStore> {
  const store = await startEmbeddedSqs([queue], { folder: openDataFolder(folder), keeps: () => true })
  running.push(store)
  return store
}

async function begin(): Promise<QueueStore> {
  const store = await start()
  store.run?.begin()
  return store
}

async function call(store: QueueStore, action: string, given: object) {
  const input = { QueueUrl: queue.url, ...given }
  const body = Buffer.from(JSON.stringify(input))
  const contentType = 'application/x-amz-json-1.0'
  const answer = await store.backend({ action, target: `AmazonSQS.${action}`, contentType, body, input })
  return JSON.parse(String(answer.body)) as { Messages?: { Body: string; ReceiptHandle: string }[] }
}

const send = (store: QueueStore, text: string) =>
  call(store, 'SendMessage', { MessageBody: text, MessageGroupId: 'one', MessageDeduplicationId: text })

const receive = async (store: QueueStore) => (await call(store, 'ReceiveMessage', {})).Messages?.map(({ Body }) => Body)

test('a first start and a start after an orderly stop lose no messages', async () => {
  const first = await begin()
  await send(first, 'event')
  await first.close()

  const second = await begin()

  expect([first.run?.isLost, second.run?.isLost, await receive(second)]).toEqual([false, false, ['event']])
})

test('the messages of a platform that was killed are lost', async () => {
  await send(await begin(), 'event')

  expect((await start()).run?.isLost).toBe(true)
})

test('messages that a stop cannot write are lost', async () => {
  const folderOnFullDisk = { ...openDataFolder(folder), write: () => expect.fail('the disk is full') }
  const store = await startEmbeddedSqs([queue], { folder: folderOnFullDisk, keeps: () => true })
  store.run?.begin()
  await send(store, 'event')
  await expect(store.close()).rejects.toThrow('the disk is full')

  expect((await start()).run?.isLost).toBe(true)
})

test('a damaged file of stored messages counts as a loss', async () => {
  const store = await begin()
  await send(store, 'event')
  await store.close()
  writeFileSync(join(folder, 'queues.json'), '[{"QueueUrl":"http')

  expect((await start()).run?.isLost).toBe(true)
})

test('a loss is reported until a run has begun, even after a start that failed', async () => {
  await begin()

  const failed = await start()
  await failed.close()
  const next = await begin()
  await next.close()

  expect([failed.run?.isLost, next.run?.isLost]).toEqual([true, true])
  expect((await start()).run?.isLost).toBe(false)
})

test('the gap of lost messages begins half a minute before what the last report says was handed over, and ends at the start', async () => {
  const { clock } = manualTime()
  const ports = memoryPorts({ clock, random: systemRandomness })
  const now = clock.now()
  await ports.connectorStatus.report({ ...aReport(), reportedAt: now - 600_000, handedOverTo: now - 601_000 })

  const from = await recordLostMessages({ ...ports, clock })

  expect(from).toBe(now - 631_000)
  expect(await ports.gaps.list(0)).toMatchObject([{ reason: 'queue-lost', engine: '', from, to: now }])
})

test('the gap of lost messages begins earlier when the functions noted before the end that events had waited for longer', async () => {
  const { clock } = manualTime()
  const ports = memoryPorts({ clock, random: systemRandomness })
  const now = clock.now()
  await ports.connectorStatus.report({ ...aReport(), reportedAt: now - 10_000, handedOverTo: now - 11_000 })
  await ports.connectorStatus.noteWait({ stage: 'hookDispatch', ageMs: 90_000, at: now - 20_000 })

  expect(await recordLostMessages({ ...ports, clock })).toBe(now - 140_000)
})
