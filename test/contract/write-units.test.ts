import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Ports } from '../../contracts/ports.ts'
import type { Delivery } from '../../core/hooks/delivery/delivery.ts'
import { recordedEvents } from '../support/engine/recorded-events.ts'
import { logEvent } from '../support/hooks/logged-events.ts'
import { opened } from '../support/processes/opened.ts'
import {
  aCommandRecord,
  aDelivery,
  aKnownCall,
  aPlacedCall,
  aPresence,
  aRecording,
} from '../support/records/records.ts'
import type { CloudPorts } from '../support/stores/cloud-exercises.ts'
import { openCloud } from '../support/stores/open-cloud.ts'

/**
 * The write units that the embedded store counts, as DynamoDB does: for the table and for its index. They are what
 * docs/design/deliveries.md and docs/cost.md compute with.
 */
const cloud = opened(openCloud)

interface Units {
  readonly table: number
  readonly index: number
}

/** Returns the write units of what a test does. */
async function unitsOf(work: (ports: Ports) => Promise<unknown>): Promise<Units> {
  const { ports, gate } = cloud()
  const units = { table: 0, index: 0 }
  gate.answer = async ({ service, action, input }, forward) => {
    if (!service.startsWith('DynamoDB') || !/Put|Update|Delete|Write/.test(action)) return forward()
    const reply = await forward({ ...input, ReturnConsumedCapacity: 'INDEXES' })
    if (reply !== 'lost') {
      for (const { Table, GlobalSecondaryIndexes = {} } of consumedIn(reply.body)) {
        units.table += Table?.CapacityUnits ?? 0
        for (const index of Object.values(GlobalSecondaryIndexes)) units.index += index.CapacityUnits
      }
    }
    return reply
  }
  await work(ports as CloudPorts & Ports)
  return units
}

interface Consumed {
  readonly Table?: { readonly CapacityUnits: number }
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits: number }>>
}

function consumedIn(body: unknown): readonly Consumed[] {
  const { ConsumedCapacity = [] } = Object(body) as { readonly ConsumedCapacity?: Consumed | readonly Consumed[] }
  return [ConsumedCapacity].flat()
}

it('a queued delivery whose second attempt succeeds costs its index four units, whatever its attempts hold', async () => {
  const attempt = { at: 1, durationMs: 1, status: 500, replySnippet: 'x'.repeat(1_500) }
  const units = await unitsOf(async ({ deliveries }) => {
    const first = aDelivery({ domain: 'units.test' })
    const second: Delivery = { ...first, tries: 1, nextAttemptAt: (first.nextAttemptAt ?? 0) + 5_000 }
    await deliveries.create(first)
    await deliveries.beginAttempt(first, 'run-1', 1)
    await deliveries.recordAttempt(first, {
      run: 'run-1',
      attempt,
      state: 'pending',
      nextAttemptAt: second.nextAttemptAt,
    })
    await deliveries.beginAttempt(second, 'run-2', 2)
    await deliveries.recordAttempt(second, { run: 'run-2', attempt, state: 'delivered' })
  })

  // In, moved (out and in), out.
  expect(units.index).toBe(4)
})

it('the result of a single attempt costs one write unit, and half of that of a transaction', async () => {
  const attempts = [aDelivery({ domain: 'units.test' }), aDelivery({ domain: 'units.test' })].map((delivery) => ({
    delivery: { ...delivery, begun: { run: 1 } },
    outcome: { run: 'run', attempt: { at: 1, durationMs: 1, status: 200 }, state: 'delivered' as const },
  }))
  const [alone, other] = attempts
  if (alone === undefined || other === undefined) throw new Error('two attempts were made')
  await unitsOf(async ({ deliveries }) => {
    for (const { delivery } of attempts) await deliveries.create(delivery)
  })

  const update = await unitsOf(({ deliveries }) => deliveries.recordAttempt(alone.delivery, alone.outcome))
  const transaction = await unitsOf(({ deliveries }) => deliveries.recordTogether([other]))

  expect([update.table, transaction.table]).toEqual([1, 2])
})

it('an event of 5 KB that is logged alone costs seven units, one of them for the event itself', async () => {
  const event = recordedEvents('events/bridged-call.json', 'units.test').find(({ fields }) => {
    const { length } = JSON.stringify(fields)
    return length > 5_000 && length < 5_500
  })
  if (event === undefined) throw new Error('the recorded call has an event of 5 KB')

  const units = await unitsOf(({ eventLogWriter }) => logEvent(eventLogWriter, event))

  // Head, block and event; id and write record in a transaction.
  expect(units.table).toBe(1 + 1 + 1 + 2 * 2)
})

it('a command of any length costs its index one unit when it is claimed and one when it ends', async () => {
  const units = await unitsOf(async ({ commands }) => {
    const record = aCommandRecord()
    await commands.create(record)
    await commands.claim(record.id, 'connector-1')
    await commands.complete(record.id, { state: 'done', text: 'x'.repeat(20_000) })
  })

  expect(units.index).toBe(2)
})

it('a recording that is claimed, renewed and released costs its index nothing while it is expected', async () => {
  const recording = aRecording({ domain: 'units.test', uuid: randomUUID() })
  const expected = await unitsOf(({ recordings }) => recordings.expect(recording))
  const units = await unitsOf(async ({ recordings }) => {
    await recordings.claim(recording, 'me', { now: 1, until: 2 })
    await recordings.renew(recording, 'me', 3)
    await recordings.release(recording, 'me')
  })

  expect([expected.index, units.index]).toEqual([1, 0])
})

it('a leg that two connectors store and remove costs four write units for the first of them and two for the other', async () => {
  const leg = aKnownCall({ domain: 'units.test' })
  const first = await unitsOf(({ knownCalls }) => knownCalls.put(leg))
  const again = await unitsOf(({ knownCalls }) => knownCalls.put({ ...leg, knownAt: leg.knownAt + 1 }))
  const removed = await unitsOf(({ knownCalls }) => knownCalls.remove([leg]))
  const removedAgain = await unitsOf(({ knownCalls }) => knownCalls.remove([leg]))

  expect([first, again, removed, removedAgain]).toEqual([
    { table: 1, index: 1 },
    { table: 1, index: 0 },
    { table: 1, index: 1 },
    { table: 1, index: 0 },
  ])
})

it('a change of a leg costs each connector one write unit', async () => {
  const leg = aKnownCall({ domain: 'units.test' })
  await unitsOf(({ knownCalls }) => knownCalls.put(leg))
  const change = { ...leg, state: 'ended' as const, changedAt: leg.changedAt + 1 }

  const units = [
    await unitsOf(({ knownCalls }) => knownCalls.put(change)),
    await unitsOf(({ knownCalls }) => knownCalls.put(change)),
  ]

  expect(units).toEqual([
    { table: 1, index: 0 },
    { table: 1, index: 0 },
  ])
})

it('a call that the API places and that comes up costs two write units besides those of its leg', async () => {
  const call = aPlacedCall({ domain: 'units.test' })
  const placed = await unitsOf(({ knownCalls }) => knownCalls.place(call))
  await unitsOf(({ knownCalls }) => knownCalls.put(aKnownCall(call)))
  const answered = await unitsOf(({ knownCalls }) => knownCalls.answered(call, call.showsBy))

  expect([placed, answered]).toEqual([
    { table: 1, index: 0 },
    { table: 1, index: 0 },
  ])
})

it('a registration costs one write unit for each write', async () => {
  const presence = aPresence({
    domain: 'units.test',
    login: '1000',
    contacts: [{ id: 'sip:1000@192.0.2.1:5060', expiresAt: 1 }],
  })

  expect(await unitsOf(({ presence: store }) => store.put(presence))).toEqual({ table: 1, index: 0 })
})
