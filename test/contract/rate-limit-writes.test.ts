import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { dynamoRateLimitStore } from '../../adapters/dynamodb/access/dynamo-rate-limit-store.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { startCloudGate } from '../support/stores/cloud-gate.ts'
import { startDynamoServer } from '../support/stores/dynamo-server.ts'
import { movableClock } from '../support/processes/movable-clock.ts'
import { opened } from '../support/processes/opened.ts'

const cloud = opened(async () => {
  const server = await startDynamoServer()
  const gate = await startCloudGate({ DynamoDB_20120810: server.endpoint })
  const context = { env: { ...server.env, ...gate.env }, clock: movableClock(), random: systemRandomness }
  const close = async () => {
    await gate.close()
    await server.close()
  }
  return { gate, context, close }
})

const allowance = { intervalMs: 60_000, burst: 40 }

/** The writes that a call leads to. */
async function writesOf(call: () => Promise<unknown>): Promise<number> {
  const { calls } = cloud().gate
  const before = calls.length
  await call()
  return calls.length - before
}

test('each of 200 requests that are counted at once costs two writes at most', async () => {
  const { context } = cloud()
  const [key, now] = [randomUUID(), context.clock.now()]
  const processes = [dynamoRateLimitStore(context), dynamoRateLimitStore(context)]

  const writes = await writesOf(() =>
    Promise.all(processes.flatMap((store) => Array.from({ length: 100 }, () => store.take(key, allowance, now)))),
  )

  expect(writes).toBeLessThanOrEqual(400)
})

test('a request costs one write from a full bucket, from an empty one, and from one that its process has just used', async () => {
  const { context } = cloud()
  const [key, now] = [randomUUID(), context.clock.now()]
  const store = dynamoRateLimitStore(context)
  const take = () => writesOf(() => store.take(key, { ...allowance, burst: 2 }, now))

  expect([await take(), await take(), await take()]).toEqual([1, 1, 1])
})
