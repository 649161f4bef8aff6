import { expect, it } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { readSettings } from '../../../functions/endpoint/cloud.ts'
import { handler as hookDispatch } from '../../../functions/hooks/hook-dispatch.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { aContext } from '../../support/platform/api.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { settle } from '../../support/processes/manual-time.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'
import { aBatch } from '../../support/records/queue-batch.ts'
import { aHook, anEvent } from '../../support/records/records.ts'

const [quiet, busy] = ['a.example.com', 'b.example.com']

/**
 * Dispatches two events of a quiet tenant and one of a busy tenant, whose part of the batch goes on until the test ends
 * it. Their receipts are `receipt-0`, `receipt-1` and `receipt-2`.
 */
async function aMixedBatch() {
  const ports = memoryPorts({ clock: movableClock(), random: systemRandomness })
  for (const domain of [quiet, busy]) await ports.hooks.create([aHook({ domain, filter: {} })], 100)
  const busyWork = Promise.withResolvers<Hook[]>()
  const list = async (domain: string) => (domain === busy ? busyWork.promise : ports.hooks.list(domain))
  const removed = Promise.withResolvers<void>()
  const remove = async (receipts: readonly string[]) => {
    await ports.receivedEvents.ack(receipts)
    removed.resolve()
  }
  const log = capturedLog()
  const settings = readSettings({ EVENTS_PER_SECOND: '100000' })
  const start = (over: object = {}) => {
    const given = { ...ports, hooks: { ...ports.hooks, list }, receivedEvents: { ack: remove }, ...over }
    const handle = hookDispatch.over(given, { clock: movableClock(), random: systemRandomness, log, settings })
    const events = [anEvent({ domain: quiet }), anEvent({ domain: quiet }), anEvent({ domain: busy })]
    return handle(aBatch(events.map((event) => Object.assign({ version: 1 }, event))), aContext)
  }
  return { ports, log, start, removed: removed.promise, endBusyWork: () => busyWork.resolve([]) }
}

it('events of a tenant are removed from the queue when they are dispatched, and do not wait for a busy tenant of their batch', async () => {
  const { ports, start, removed, endBusyWork } = await aMixedBatch()

  const answer = start()
  await removed

  expect(ports.receivedEvents.acked).toEqual([['receipt-0', 'receipt-1']])
  endBusyWork()
  expect(await answer).toEqual({ batchItemFailures: [] })
  expect(ports.receivedEvents.acked).toHaveLength(1)
})

it('events that were not dispatched stay in the queue', async () => {
  const { ports, log, start, endBusyWork } = await aMixedBatch()
  const send = async () => Promise.reject(new Error('the queue is away'))

  const answer = start({ deliveryQueue: { ...ports.deliveryQueue, send } })
  await settle()
  expect(log.lines.filter(({ message }) => message === 'message not handled')).toHaveLength(2)
  endBusyWork()

  const { batchItemFailures } = await answer
  expect(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual(['message-0', 'message-1'])
  expect(ports.receivedEvents.acked).toEqual([])
})

it('events that the queue does not remove early are removed with their batch', async () => {
  const { start, endBusyWork } = await aMixedBatch()
  const called = Promise.withResolvers<void>()
  const remove = async () => {
    called.resolve()
    throw new Error('the queue is away')
  }

  const answer = start({ receivedEvents: { ack: remove } })
  await called.promise
  await settle()
  endBusyWork()

  expect(await answer).toEqual({ batchItemFailures: [] })
})
