import { expect, onTestFinished, test, vi } from 'vitest'
import { sqsEventSink } from '../../../adapters/sqs/sqs-event-sink.ts'
import { readMetrics } from '../../../connector/health/metrics.ts'
import { pause } from '../../../core/concurrency/timers.ts'
import { DomainError } from '../../../core/errors.ts'
import { openCloudQueues } from '../../support/stores/cloud-queues.ts'
import { checkEventOrdeal, triesIn } from '../../support/invariants/event-invariants.ts'
import { ofCall } from '../../support/connector/event-lab.ts'
import { eventOrdeal, ordealSecrets } from '../../support/connector/event-ordeal.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import type { MemoryDisk } from '../../support/connector/memory-disk.ts'
import { openTaskCredentials, taskSecret } from '../../support/connector/task-credentials.ts'

const mebi = 1024 * 1024

/** A connector's health without an engine and without a count. */
const aHealth = {
  status: 'error',
  connectorId: 'connector-1',
  version: '1.2.3',
  startedAt: 0,
  engines: [],
  lagMs: 0,
  counters: {},
} as const

const inOrder = ['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']

/** The error of the queue's adapter after three failed tries; its cause holds text that no log may show. */
function unavailable(): DomainError {
  const cause = new Error(`RequestThrottled (400) signed with ${ordealSecrets.queue}`)
  return new DomainError('store_unavailable', 'the queue does not answer, try again', { cause })
}

test('F23 a queue that refuses for five minutes loses no event and delays no order, and reading goes on', async () => {
  const faultMs = 5 * 60_000
  const ordeal = await eventOrdeal()
  const process = await ordeal.start()
  ordeal.queue.instead = async () => Promise.reject(unavailable())
  const made = await ordeal.calls(process, { count: 300, overMs: faultMs })
  expect(process.counter('eventsRead')).toBe(1_500)
  expect(process.lab.side.lagMs).toBeGreaterThan(faultMs - 5_000)
  expect(ordeal.disk.used()).toBeGreaterThan(0)
  const tries = ordeal.queue.calls.length

  const backAfterMs = await ordeal.over(process)

  for (const uuid of made) expect(ordeal.world.eventsOf(uuid)).toEqual(inOrder)
  await checkEventOrdeal(ordeal, {
    backAfterMs,
    faultMs,
    bounds: [{ of: 'tries while the queue refuses', value: tries, limit: triesIn(faultMs) }],
  })
})

test('F23 a full spool drops its oldest events, file by file, and counts each by class', async () => {
  const spoolBytes = 4 * mebi
  const faultMs = 8_000
  const ordeal = await eventOrdeal({ spoolBytes })
  const process = await ordeal.start()
  ordeal.queue.instead = async () => Promise.reject(unavailable())
  const made = await ordeal.calls(process, { count: 104, overMs: faultMs, holdBytes: 900_000 })

  const backAfterMs = await ordeal.over(process)

  const held = ordeal.world.published.filter(({ name }) => name === 'CHANNEL_HOLD').map(({ uuid }) => uuid)
  expect(ordeal.world.eventsOf(made.at(-1) ?? '').toSorted()).toEqual([...inOrder, 'CHANNEL_HOLD'].toSorted())
  expect(process.counter('eventsDroppedCall')).toBeGreaterThan(10)
  expect(process.counter('eventsDroppedTerminal')).toBeGreaterThan(10)
  expect(held).toContain(made.at(-1))
  await checkEventOrdeal(ordeal, { backAfterMs, faultMs, spoolBytes })
})

test('F24 a queue that refuses connections and then does not answer loses no event, and reading goes on', async () => {
  const ordeal = await eventOrdeal()
  const process = await ordeal.start()
  const { timers } = ordeal.world.time
  ordeal.queue.instead = async () => Promise.reject(unavailable())
  await ordeal.calls(process, { count: 30, overMs: 30_000 })
  ordeal.queue.instead = async () => {
    // Three tries of three seconds, and what the adapter waits between them.
    await pause(timers, 9_250)
    throw unavailable()
  }
  const made = await ordeal.calls(process, { count: 60, overMs: 60_000 })
  expect(process.counter('eventsRead')).toBe(ordeal.sent)
  expect(process.counter('eventsPublished')).toBe(process.counter('cdrsRelayed') + 2)
  expect(process.counter('spoolEvents') + process.counter('eventsWaiting')).toBeGreaterThan(450)
  const tries = ordeal.queue.calls.length

  const backAfterMs = await ordeal.over(process)

  for (const uuid of made) expect(ordeal.world.eventsOf(uuid)).toEqual(inOrder)
  await checkEventOrdeal(ordeal, {
    backAfterMs,
    faultMs: 90_000,
    bounds: [{ of: 'tries while the queue is away', value: tries, limit: triesIn(90_000) }],
  })
})

test('F25 if the queue refuses the third event of a batch of ten, only that one is sent again', async () => {
  const ordeal = await eventOrdeal()
  const process = await ordeal.start()
  const refused: string[] = []
  const batches: number[] = []
  ordeal.queue.instead = async (batch, take) => {
    // While a call is under way others gather, so that batches are full.
    await pause(ordeal.world.time.timers, 100)
    batches.push(batch.length)
    const third = batch.length === 10 ? batch[2] : undefined
    if (third === undefined || refused.includes(third.id)) return take(batch)
    refused.push(third.id)
    await take(batch.filter((event) => event !== third))
    return [third.id]
  }
  const made = await ordeal.calls(process, { count: 200, overMs: 2_000 })

  const backAfterMs = await ordeal.over(process)

  expect(batches.filter((size) => size === 10).length).toBeGreaterThan(30)
  const sent = ordeal.wanted.map(({ id }) => [id, ordeal.queue.sent(id)])
  expect(refused.length).toBeGreaterThan(20)
  expect(sent.filter(([, times]) => times === 2).map(([id]) => id)).toEqual(expect.arrayContaining(refused))
  expect(sent.filter(([id, times]) => times !== (refused.includes(String(id)) ? 2 : 1))).toEqual([])
  for (const uuid of made) expect(ordeal.world.eventsOf(uuid)).toEqual(inOrder)
  await checkEventOrdeal(ordeal, { backAfterMs, faultMs: 4_000 })
})

test('F26 a queue that accepts every batch but whose responses are lost causes no lost, reordered or duplicate event', async () => {
  const faultMs = 60_000
  const ordeal = await eventOrdeal()
  const process = await ordeal.start()
  ordeal.queue.instead = async (batch, take) => {
    await take(batch)
    throw unavailable()
  }
  const made = await ordeal.calls(process, { count: 60, overMs: faultMs })
  expect(process.counter('eventsRepeated')).toBeGreaterThan(10)
  const tries = ordeal.queue.calls.length

  const backAfterMs = await ordeal.over(process)

  for (const uuid of made) expect(ordeal.world.eventsOf(uuid)).toEqual(inOrder)
  await checkEventOrdeal(ordeal, {
    backAfterMs,
    faultMs,
    bounds: [{ of: 'tries while answers are lost', value: tries, limit: triesIn(faultMs) }],
  })
})

test('F27 an event above the size of a message is published without its large values, and the events after it are complete', async () => {
  const ordeal = await eventOrdeal()
  const process = await ordeal.start()
  const made = await ordeal.calls(process, { count: 8, overMs: 8_000, holdBytes: 1_500_000 })

  const backAfterMs = await ordeal.over(process)

  const ofLarge = ordeal.world.published.filter(({ name }) => name === 'CHANNEL_HOLD')
  expect(ofLarge).toHaveLength(10)
  for (const { fields } of ofLarge) {
    expect(fields).toMatchObject({ Truncated: 'true', 'Truncated-Fields': 'filler', 'Caller-Caller-ID-Number': '1000' })
  }
  const others = ordeal.world.published.filter(({ name }) => name !== 'CHANNEL_HOLD')
  expect(others.filter(({ fields }) => 'Truncated' in fields)).toEqual([])
  for (const uuid of made) expect(ordeal.world.eventsOf(uuid).toSpliced(2, 1)).toEqual(inOrder)
  const largest = Math.max(...ordeal.world.published.map((event) => Buffer.byteLength(JSON.stringify(event))))
  await checkEventOrdeal(ordeal, {
    backAfterMs,
    faultMs: 0,
    bounds: [{ of: 'bytes of a message', value: largest, limit: mebi }],
  })
})

test('F28 a queue that considers the credentials expired is tried again, and no event is lost', async () => {
  const faultMs = 60_000
  const ordeal = await eventOrdeal()
  const process = await ordeal.start()
  ordeal.queue.instead = async () => {
    const cause = new Error(`ExpiredToken (403) ${ordealSecrets.queue}`)
    throw new DomainError('internal_error', 'the queue refused the request', { cause })
  }
  const made = await ordeal.calls(process, { count: 60, overMs: faultMs })
  const tries = ordeal.queue.calls.length

  const backAfterMs = await ordeal.over(process)

  for (const uuid of made) expect(ordeal.world.eventsOf(uuid)).toEqual(inOrder)
  await checkEventOrdeal(ordeal, {
    backAfterMs,
    faultMs,
    bounds: [{ of: 'tries while the queue refuses', value: tries, limit: triesIn(faultMs) }],
  })
})

test('F28 credentials that last a minute are renewed before they expire, and events wait while they are refused', async () => {
  const time = manualTime()
  const [cloud, task] = await Promise.all([openCloudQueues(), openTaskCredentials()])
  onTestFinished(() => Promise.all([cloud.close(), task.close()]).then(() => undefined))
  onTestFinished(() => void vi.unstubAllEnvs())
  onTestFinished(() => void vi.restoreAllMocks())
  vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', task.url)
  vi.spyOn(Date, 'now').mockImplementation(() => time.clock.now())
  const { AWS_ACCESS_KEY_ID: _id, AWS_SECRET_ACCESS_KEY: _secret, ...env } = cloud.context.env
  const sink = sqsEventSink({ ...cloud.context, env, clock: time.clock })
  const expired: number[] = []
  cloud.gate.answer = ({ headers }, forward) => {
    if (task.endOf(headers) > time.clock.now()) return forward()
    expired.push(time.clock.now())
    return { status: 403, body: { __type: 'com.amazonaws.sqs#ExpiredToken' } }
  }
  const ordeal = await eventOrdeal({ time, publish: (batch) => sink.publish(batch) })
  task.answer = { status: 200, endsAt: time.clock.now() + 60_000 }
  const process = await ordeal.start()
  for (let step = 0; step < 4; step += 1) {
    task.answer = { status: 200, endsAt: time.clock.now() + 60_000 }
    await ordeal.calls(process, { count: 2, overMs: 20_000 })
    expect(process.lab.side.waiting).toBe(0)
  }
  task.answer = { status: 500, endsAt: time.clock.now() }
  // The stored credentials serve until they expire.
  await ordeal.calls(process, { count: 2, overMs: 39_000 })
  expect(process.lab.side.waiting).toBe(0)
  const before = task.asked()
  await ordeal.calls(process, { count: 4, overMs: 20_000 })
  expect(process.lab.side.waiting).toBeGreaterThan(10)
  const asked = task.asked() - before

  task.answer = { status: 200, endsAt: time.clock.now() + 60_000 }
  const backAfterMs = await ordeal.over(process)

  expect(expired).toEqual([])
  const ids = cloud.server.waiting('events').map(({ deduplicationId }) => deduplicationId)
  expect(ids).toHaveLength(ordeal.world.published.length)
  expect(new Set(ids)).toEqual(new Set(ordeal.world.published.map(({ id }) => id)))
  const messages = JSON.stringify(cloud.server.waiting('events'))
  await checkEventOrdeal(ordeal, {
    backAfterMs,
    faultMs: 20_000,
    bounds: [
      { of: 'questions for credentials', value: asked, limit: 3 * triesIn(20_000) },
      { of: 'secrets in messages', value: messages.split(taskSecret).length - 1, limit: 0 },
    ],
  })
})

test('F29 the next process publishes the events that a connector stored on disk when it stopped without a queue', async () => {
  const ordeal = await eventOrdeal()
  const process = await ordeal.start()
  ordeal.queue.instead = async () => Promise.reject(unavailable())
  const made = await ordeal.calls(process, { count: 20, overMs: 100 })

  expect(await process.lab.side.close()).toBe(0)
  process.kill()

  const next = await ordeal.start()
  const backAfterMs = await ordeal.over(next)
  for (const uuid of made) expect(ordeal.world.eventsOf(uuid)).toEqual(inOrder)
  await checkEventOrdeal(ordeal, { backAfterMs, faultMs: 3_100 })
})

test('F29 the events that a connector loses when it is stopped without queue and disk are counted and recorded', async () => {
  const ordeal = await eventOrdeal()
  const process = await ordeal.start()
  ordeal.disk.isReadOnly = true
  ordeal.queue.instead = async () => Promise.reject(unavailable())
  await ordeal.calls(process, { count: 20, overMs: 100 })
  // The queue of CDRs takes what there is for it.
  await ordeal.world.time.advance(1_000)

  // Five calls are the other tenant's; each has four events of the engine and two of its account.
  expect(await process.lab.side.close()).toBe(25 * 6)
  process.kill()

  const next = await ordeal.start()
  const backAfterMs = await ordeal.over(next)
  await checkEventOrdeal(ordeal, { backAfterMs, faultMs: 2_100 })
})

test("F30 the next connector publishes all but the last second of a killed one's events, before any newer event", async () => {
  const ordeal = await eventOrdeal()
  const process = await ordeal.start()
  ordeal.queue.instead = async () => Promise.reject(unavailable())
  const made = await ordeal.calls(process, { count: 20, overMs: 10_000 })
  const uuid = '00000000-0000-4000-8000-00000000ca11'
  const headers = ofCall(ordeal.world.time.clock.now())
  await ordeal.tell(process, { name: 'CHANNEL_CREATE', uuid, headers })
  await ordeal.tell(process, { name: 'CHANNEL_ANSWER', uuid, headers })
  await ordeal.world.time.advance(1_000)
  process.kill()

  const next = await ordeal.start({ rows: [{ uuid }] })
  for (const name of ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']) await ordeal.tell(next, { name, uuid, headers })
  expect(next.counter('spoolFound')).toBe(25 * 6 + 3)
  const backAfterMs = await ordeal.over(next)

  for (const one of [...made, uuid]) expect(ordeal.world.eventsOf(one)).toEqual(inOrder)
  await checkEventOrdeal(ordeal, { backAfterMs, faultMs: 13_000 })
})

test('an event that belongs to a domain by its call alone is published by the next process, although it never heard the call begin', async () => {
  const ordeal = await eventOrdeal()
  const { time } = ordeal.world
  const process = await ordeal.start()
  const uuid = '00000000-0000-4000-8000-00000000ca12'
  await ordeal.tell(process, { name: 'CHANNEL_CREATE', uuid, headers: ofCall(time.clock.now()) })
  await time.advance(1_000)
  expect(process.lab.side.waiting).toBe(0)
  ordeal.queue.instead = async () => Promise.reject(unavailable())
  await ordeal.tell(process, { name: 'CHANNEL_HOLD', uuid, headers: {} })
  await time.advance(1_000)
  process.kill()

  await ordeal.start({ rows: [{ uuid }] })
  ordeal.queue.instead = undefined
  await time.advance(10_000)

  expect(ordeal.world.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_HOLD'])
})

const refusals: readonly { readonly title: string; readonly fail: (disk: MemoryDisk) => void }[] = [
  {
    title: 'is full',
    fail: (disk) => {
      disk.room = 1_000
    },
  },
  {
    title: 'cannot be written',
    fail: (disk) => {
      disk.isReadOnly = true
    },
  },
]

test.each(refusals)(
  'F31 a disk that $title is counted, and what then has no room is dropped, the oldest first, counted by class and recorded',
  async ({ fail }) => {
    const faultMs = 60_000
    const ordeal = await eventOrdeal()
    const process = await ordeal.start()
    fail(ordeal.disk)
    ordeal.queue.instead = async () => Promise.reject(unavailable())
    const made = await ordeal.calls(process, { count: 104, overMs: faultMs, holdBytes: 900_000 })
    const counters = process.lab.side.counters()
    expect(counters['eventsDropped']).toBeGreaterThan(10)
    expect(counters['eventsDroppedTerminal']).toBeGreaterThan(10)
    // The metric that the alarm `EventsNotOnDisk` watches.
    const { totals } = readMetrics({ ...aHealth, counters })
    expect(totals.SpoolSkipped).toBeGreaterThan(100)
    expect(totals.SpoolFailures).toBeLessThanOrEqual(faultMs / 5_000)

    const backAfterMs = await ordeal.over(process)

    expect(ordeal.world.eventsOf(made.at(-1) ?? '').slice(-2)).toEqual(inOrder.slice(-2))
    await checkEventOrdeal(ordeal, { backAfterMs, faultMs })
  },
)

test('F31 a full disk has no effect while the queue accepts events', async () => {
  const ordeal = await eventOrdeal()
  const process = await ordeal.start()
  ordeal.disk.room = 0
  const made = await ordeal.calls(process, { count: 40, overMs: 40_000 })
  expect(process.counter('spoolSkipped')).toBe(0)

  const backAfterMs = await ordeal.over(process)

  for (const uuid of made) expect(ordeal.world.eventsOf(uuid)).toEqual(inOrder)
  await checkEventOrdeal(ordeal, { backAfterMs, faultMs: 40_000 })
})
