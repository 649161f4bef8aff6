import { expect, test } from 'vitest'
import { pause } from '../../../connector/timers.ts'
import type { PlatformEvent } from '../../../core/model.ts'
import { DomainError } from '../../../core/errors.ts'
import { type EventLab, type LabWorld, labWorld, ofCall } from '../../support/event-lab.ts'
import { checkInvariants } from '../../support/invariants.ts'
import { memoryDisk, spoolOwner } from '../../support/memory-disk.ts'

const outageMs = 5 * 60_000
const mebi = 1024 * 1024

/** What a busy minute of calls leaves: each made, held and ended. */
interface Calls {
  readonly uuids: string[]
  readonly sequences: string[]
}

type Publish = LabWorld['ports']['events']['publish']

/** A connector over a disk, which its queue does not hear while `isAway`. */
async function aWorld({
  disk = memoryDisk(),
  bytes = 64 * mebi,
  name = '1',
  world = undefined as LabWorld | undefined,
} = {}) {
  const lab = world ?? (await labWorld())
  const queue = { isAway: false, tries: 0, instead: undefined as Publish | undefined }
  const events = {
    ...lab.ports.events,
    publish: async (batch: readonly PlatformEvent[]) => {
      queue.tries += 1
      if (queue.isAway) throw new Error('RequestThrottled')
      if (queue.instead !== undefined) return queue.instead(batch)
      return lab.ports.events.publish(batch)
    },
  }
  const spool = { folder: '/spool', bytes, files: disk, owner: spoolOwner(name) }
  const connector = await lab.connector(`connector-${name}`, { ports: { ...lab.ports, events }, spool })
  await connector.up()
  return { lab, queue, disk, connector, counter: (of: string) => connector.side.counters()[of] ?? 0 }
}

let sequence = 100_000

/** So many calls in a time; answers what the engine told of them. */
async function calls(lab: LabWorld, connector: EventLab, count: number, overMs: number): Promise<Calls> {
  const made: Calls = { uuids: [], sequences: [] }
  for (let call = 0; call < count; call += 1) {
    const uuid = `00000000-0000-4000-8000-${String(sequence).padStart(12, '0')}`
    made.uuids.push(uuid)
    for (const name of ['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']) {
      sequence += 1
      made.sequences.push(`${sequence}`)
      await connector.emit({ name, uuid, sequence, headers: ofCall(lab.time.clock.now()) })
    }
    await lab.time.advance(overMs / count)
  }
  return made
}

/** Every event of calls, by its sequence, and as what it came. */
function wanted(lab: LabWorld, { sequences }: Calls) {
  return sequences.map((id) => ({
    id,
    toldAs: lab.published.flatMap(({ fields }) => (fields['Event-Sequence'] === id ? id : [])),
  }))
}

const inOrder = ['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']

async function untilEmpty(lab: LabWorld, connector: EventLab): Promise<number> {
  const since = lab.time.clock.now()
  while (connector.side.waiting > 0) await lab.time.advance(500)
  return lab.time.clock.now() - since
}

test('F23 a queue that refuses for five minutes costs no event and no order, and reading goes on', async () => {
  const { lab, queue, connector, counter } = await aWorld()
  queue.isAway = true
  const made = await calls(lab, connector, 300, outageMs)
  expect(counter('eventsRead')).toBeGreaterThanOrEqual(1_200)
  expect(queue.tries).toBeLessThan(200)
  expect(connector.side.lagMs).toBeGreaterThan(outageMs - 5_000)

  queue.isAway = false
  const backAfterMs = await untilEmpty(lab, connector)

  for (const uuid of made.uuids) expect(lab.told(uuid)).toEqual(inOrder)
  expect(connector.side.lagMs).toBe(0)
  checkInvariants({
    events: { wanted: wanted(lab, made), recordedAsLost: 0 },
    bounds: [{ of: 'bytes on disk', value: counter('spoolBytes'), limit: 0 }],
    backAfterMs,
  })
})

test.each<{ readonly title: string; readonly instead: (lab: LabWorld) => Publish }>([
  {
    title: 'F24 a queue that does not answer, and is given up after three tries of three seconds',
    instead:
      ({ time }) =>
      async () => {
        await pause(time.timers, 9_250)
        throw new DomainError('store_unavailable', 'the queue does not answer, try again')
      },
  },
  {
    title: 'F25 a queue that takes every third event only',
    instead: ({ ports }) => {
      let asked = 0
      return async (batch) => {
        const taken = batch.filter(() => (asked += 1) % 3 === 0)
        await ports.events.publish(taken)
        return batch.filter((event) => !taken.includes(event)).map(({ id }) => id)
      }
    },
  },
  {
    title: 'F26 a queue whose answers are lost',
    instead:
      ({ ports }) =>
      async (batch) => {
        await ports.events.publish(batch)
        throw new Error('socket hang up')
      },
  },
  {
    title: 'F28 a queue that takes the credentials for expired',
    instead: () => async () => {
      throw new DomainError('internal_error', 'the queue refused the request')
    },
  },
])('$title costs no event, no order and no copy', async ({ instead }) => {
  const { lab, queue, connector, counter } = await aWorld()
  queue.instead = instead(lab)
  const made = await calls(lab, connector, 60, 60_000)
  expect(counter('eventsRepeated')).toBeGreaterThan(0)

  queue.instead = undefined
  const backAfterMs = await untilEmpty(lab, connector)

  for (const uuid of made.uuids) expect(lab.told(uuid)).toEqual(inOrder)
  checkInvariants({
    events: { wanted: wanted(lab, made), recordedAsLost: 0 },
    bounds: [{ of: 'bytes on disk', value: counter('spoolBytes'), limit: 0 }],
    backAfterMs,
  })
})

test('F27 an event above the size of a message is told without its large values, and those behind it are whole', async () => {
  const { lab, connector, counter } = await aWorld()
  const [large, small] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b']
  const headers = { ...ofCall(lab.time.clock.now()), variable_sdp: 'x'.repeat(1_500_000) }

  await connector.emit(
    { name: 'CHANNEL_HOLD', uuid: large, headers },
    { name: 'CHANNEL_HOLD', uuid: small, headers: ofCall(0) },
  )
  await untilEmpty(lab, connector)

  const [first, second] = lab.published.filter(({ uuid }) => uuid !== '')
  expect(first?.fields).toMatchObject({ 'Unique-ID': large, Truncated: 'true', 'Truncated-Fields': 'variable_sdp' })
  expect(second?.fields).not.toHaveProperty('Truncated')
  checkInvariants({ sums: [{ of: 'events', parts: [counter('eventsPublished')], whole: lab.published.length }] })
})

test('F30 of a connector that is killed, the next one tells all but the last second, before anything newer', async () => {
  const { lab, queue, disk, connector } = await aWorld()
  queue.isAway = true
  const old = await calls(lab, connector, 20, 10_000)
  await lab.time.advance(1_000)

  const next = await aWorld({ disk, name: '2', world: lab })
  next.connector.rows = []
  const [uuid = ''] = old.uuids
  await next.connector.emit({ name: 'CHANNEL_HOLD', uuid, headers: ofCall(lab.time.clock.now()) })
  await untilEmpty(lab, next.connector)

  expect(lab.told(uuid)).toEqual([...inOrder, 'CHANNEL_HOLD'])
  expect(next.counter('spoolFound')).toBe(80)
  checkInvariants({ events: { wanted: wanted(lab, old), recordedAsLost: 0 } })
})

test('F29 told to stop while the queue is away, nothing is lost that the disk has room for', async () => {
  const { lab, queue, disk, connector } = await aWorld()
  queue.isAway = true
  const made = await calls(lab, connector, 20, 100)

  expect(await connector.side.close()).toBe(0)

  const next = await aWorld({ disk, name: '2', world: lab })
  await untilEmpty(lab, next.connector)
  for (const uuid of made.uuids) expect(lab.told(uuid)).toEqual(inOrder)
  checkInvariants({ events: { wanted: wanted(lab, made), recordedAsLost: 0 } })
})

test('F31 a disk that is full is counted, and what then has no room is dropped by class and recorded as a gap', async () => {
  const { lab, queue, disk, connector, counter } = await aWorld()
  disk.room = 0
  queue.isAway = true
  const filler = 'x'.repeat(150_000)
  const uuid = '00000000-0000-4000-8000-000000000001'
  await connector.emit({ name: 'CHANNEL_CREATE', uuid, headers: ofCall(lab.time.clock.now()) })
  for (let count = 0; count < 400; count += 1) {
    const headers = { ...ofCall(lab.time.clock.now()), filler }
    await connector.emit({ name: 'CHANNEL_HOLD', uuid, headers })
  }
  await connector.emit({ name: 'CHANNEL_DESTROY', uuid, headers: ofCall(lab.time.clock.now()) })
  await lab.time.advance(30_000)
  const dropped = counter('eventsDropped')
  expect(dropped).toBeGreaterThan(40)
  expect(counter('spoolSkipped')).toBeGreaterThan(200)
  expect(counter('eventsDroppedTerminal')).toBe(0)
  const bytes = counter('memoryBytes')

  queue.isAway = false
  disk.room = Infinity
  const backAfterMs = await untilEmpty(lab, connector)
  await lab.time.advance(15_000)

  expect(lab.told(uuid).at(-1)).toBe('CHANNEL_DESTROY')
  const gaps = await lab.ports.gaps.list(0)
  const recorded = gaps.flatMap(({ dropped }) => dropped?.count ?? []).reduce((sum, count) => sum + count, 0)
  expect(recorded).toBe(dropped)
  checkInvariants({
    bounds: [{ of: 'bytes in memory', value: bytes, limit: 64 * mebi }],
    sums: [
      {
        of: 'dropped events',
        parts: [counter('eventsDroppedTerminal'), counter('eventsDroppedCall'), counter('eventsDroppedOther')],
        whole: dropped,
      },
    ],
    backAfterMs,
  })
})

test('F23 a spool that reaches its bound gives up old events of the least class first, by the file, each counted', async () => {
  const { lab, queue, disk, connector, counter } = await aWorld({ bytes: 4 * mebi })
  queue.isAway = true
  const filler = 'x'.repeat(150_000)
  const call = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
  for (let index = 0; index < 330; index += 1) {
    const headers = { ...ofCall(lab.time.clock.now()), filler }
    await connector.emit({ name: 'CHANNEL_HOLD', uuid: call(index), headers })
    await connector.emit({ name: 'CHANNEL_DESTROY', uuid: call(index), headers: ofCall(lab.time.clock.now()) })
    await lab.time.advance(100)
  }
  expect(disk.used()).toBeLessThanOrEqual(4 * mebi)

  queue.isAway = false
  await untilEmpty(lab, connector)

  const ended = lab.published.filter(({ name }) => name === 'CHANNEL_DESTROY')
  const held = lab.published.filter(({ name }) => name === 'CHANNEL_HOLD')
  expect(ended.map(({ uuid }) => uuid)).toHaveLength(330)
  expect(held.length + counter('eventsDroppedCall')).toBe(330)
  expect(held.at(-1)?.uuid).toBe(call(329))
})
