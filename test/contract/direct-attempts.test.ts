/**
 * First attempts that dispatch makes itself, over DynamoDB: a dispatcher that is killed at any call of the store, and
 * two at once.
 */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { hmacSha256 } from '../../adapters/crypto/hook-digests.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import type { EventLog } from '../../core/events/event-log.ts'
import { deadWriterMs } from '../../core/events/event-log-rules.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import { attemptDelivery } from '../../core/hooks/attempt/attempt-delivery.ts'
import { attemptsOf } from '../../core/hooks/delivery/delivery.ts'
import { dispatchEvents } from '../../core/hooks/attempt/dispatch-events.ts'
import { secretPurpose } from '../../core/hooks/definition/signing.ts'
import { type CloudGate, startCloudGate } from '../support/stores/cloud-gate.ts'
import { dispatchDeps } from '../support/hooks/dispatch-deps.ts'
import { startDynamoServer } from '../support/stores/dynamo-server.ts'
import { memoryPorts } from '../support/memory/memory-ports.ts'
import { movableClock } from '../support/processes/movable-clock.ts'
import { opened } from '../support/processes/opened.ts'
import { aHook, anEvent } from '../support/records/records.ts'
import { dynamoStores } from '../support/stores/stores.ts'

const cloud = opened(async () => {
  const server = await startDynamoServer()
  const gate = await startCloudGate({ DynamoDB_20120810: server.endpoint })
  const clock = movableClock()
  const stores = (env: object) => dynamoStores({ env: { ...server.env, ...env }, clock, random: systemRandomness })
  return {
    clock,
    gate,
    /** Stores of a process that can be killed, and of one that cannot. */
    mortal: stores(gate.env),
    other: stores({}),
    close: async () => {
      await gate.close()
      await server.close()
    },
  }
})

/** A domain with two hooks, whose receiver keeps every request. */
async function aHarness() {
  const { clock, gate, mortal, other } = cloud()
  const memory = memoryPorts({ clock, random: systemRandomness })
  const domain = `${randomUUID()}.example.com`
  const hooks = await Promise.all(
    [0, 1].map(async () => {
      const plain = aHook({ domain, filter: {} })
      const sealed = await memory.secretBox.seal(new Uint8Array(32).fill(7), secretPurpose(domain, plain.id))
      return Object.assign(plain, { secrets: [{ sealed }] })
    }),
  )
  await other.hooks.create(hooks, 100)
  const depsOver = (stores: typeof other) => dispatchDeps({ ...memory, ...stores }, clock)
  const [first, ...events] = Array.from({ length: 4 }, () => anEvent({ domain }))
  if (first === undefined) throw new Error('four events were made')
  // The first numbers of a domain take more writes than those that follow.
  await dispatchEvents(depsOver(other), [first])
  memory.hookClient.sent.length = 0
  return {
    clock,
    gate,
    events,
    hooks,
    sent: memory.hookClient.sent,
    queued: memory.deliveryQueue.queued,
    dispatch: (by: 'mortal' | 'other', given: readonly PlatformEvent[] = events) =>
      dispatchEvents(depsOver(by === 'mortal' ? mortal : other), given),
    /** Makes everything that is queued. */
    async work() {
      const ports = { ...memory, ...other, clock, random: systemRandomness, hmac: hmacSha256 }
      for (const queued of memory.deliveryQueue.queued.splice(0)) {
        await attemptDelivery(ports, queued)
      }
    },
    /** Checks that each event reached each hook, and that the log has every request. */
    async check() {
      // Numbers that a dead dispatcher took become void.
      clock.move(deadWriterMs)
      const ids = events.map(({ id }) => id).toSorted()
      expect((await logged(other.eventLog, domain)).toSorted()).toEqual([first.id, ...ids].toSorted())
      for (const hook of hooks) {
        const [, ...deliveries] = await other.deliveries.list(domain, hook.id, { newestFirst: false, limit: 99 })
        expect(deliveries.map(({ eventId }) => eventId).toSorted()).toEqual(ids)
        for (const delivery of deliveries) {
          expect(delivery.state).toBe('delivered')
          const log = attemptsOf(delivery, clock.now() + 60_000)
          const requests = sentAs(memory.hookClient.sent, delivery.id)
          const answered = log.filter(({ status }) => status === 200).length
          expect(answered, 'no request is in the log that was not made').toBeLessThanOrEqual(requests)
          expect(requests, 'every request is in the log').toBeLessThanOrEqual(log.length)
          expect(requests).toBeGreaterThanOrEqual(1)
        }
      }
    },
  }
}

/** Reads all of a log: the ids of its events. */
async function logged(log: EventLog, domain: string): Promise<string[]> {
  const ids: string[] = []
  let since = 0
  for (;;) {
    const { events, upTo } = await log.read(domain, since, 99)
    ids.push(...events.map(({ event }) => event.id))
    if (upTo === since) return ids
    since = upTo
  }
}

function sentAs(sent: readonly { readonly headers: Readonly<Record<string, string>> }[], id: string): number {
  return sent.filter(({ headers }) => headers['webhook-id'] === id).length
}

const refusal = { status: 400, body: { __type: 'ValidationException' } } as const

/**
 * Lets a process die at one of its writes, before or after the store did what it asked for. Returns the names of its
 * writes.
 */
function diesAt(gate: CloudGate, at: number, isDone: boolean): string[] {
  const writes: string[] = []
  gate.answer = async ({ action }, forward) => {
    if (writes.length >= at) return refusal
    if (action === 'Query') return forward()
    writes.push(action)
    if (writes.length < at) return forward()
    if (isDone) await forward()
    return refusal
  }
  return writes
}

test('a dispatcher that is not killed makes four writes for a batch and queues no delivery', async () => {
  const harness = await aHarness()
  const writes = diesAt(harness.gate, 99, false)

  await harness.dispatch('mortal')

  expect(writes).toEqual(['UpdateItem', 'BatchWriteItem', 'TransactWriteItems', 'TransactWriteItems'])
  expect(harness.queued).toEqual([])
  expect(harness.sent).toHaveLength(6)
  await harness.check()
})

test.each(
  [1, 2, 3, 4].flatMap((at) => [
    { at, isDone: false },
    { at, isDone: true },
  ]),
)(
  'a dispatcher killed at write $at (done by the store: $isDone) loses no event, and the log has every request',
  async ({ at, isDone }) => {
    const harness = await aHarness()
    diesAt(harness.gate, at, isDone)
    await harness.dispatch('mortal')
    harness.gate.answer = (_call, forward) => forward()
    // The messages return after a minute, to another process.
    harness.clock.move(60_000)

    const ends = await harness.dispatch('other')
    await harness.work()

    expect(ends.map(({ error }) => error)).toEqual([undefined, undefined, undefined])
    await harness.check()
  },
)

test('a dispatcher that was presumed dead but continues records what it sent, although another one queues the same deliveries', async () => {
  const harness = await aHarness()
  const reached = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  let transactions = 0
  harness.gate.answer = async ({ action }, forward) => {
    if (action === 'TransactWriteItems') transactions += 1
    if (transactions === 2) {
      reached.resolve()
      await held.promise
    }
    return forward()
  }
  const stalled = harness.dispatch('mortal')
  await reached.promise
  harness.clock.move(60_000)
  await harness.dispatch('other')

  held.resolve()
  expect((await stalled).map(({ error }) => error)).toEqual([undefined, undefined, undefined])
  await harness.work()

  expect(harness.sent, 'the attempts that were queued found their deliveries delivered').toHaveLength(6)
  await harness.check()
})
