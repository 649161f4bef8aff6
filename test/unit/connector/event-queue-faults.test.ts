import { expect, onTestFinished, test, vi } from 'vitest'
import { sqsEventSink } from '../../../adapters/sqs/sqs-event-sink.ts'
import { readMetrics } from '../../../connector/health/metrics.ts'
import { pause } from '../../../core/concurrency/timers.ts'
import { DomainError } from '../../../core/errors.ts'
import { openCloudQueues } from '../../support/stores/cloud-queues.ts'
import { checkEventScenario, triesIn } from '../../support/invariants/event-invariants.ts'
import { ofCall } from '../../support/connector/pipeline-harness.ts'
import { eventScenario, scenarioSecrets } from '../../support/connector/event-scenario.ts'
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
  const cause = new Error(`RequestThrottled (400) signed with ${scenarioSecrets.queue}`)
  return new DomainError('store_unavailable', 'the queue does not answer, try again', { cause })
}

test('F23 a queue that refuses for five minutes loses no event and delays no order, and reading goes on', async () => {
  const faultMs = 5 * 60_000
  const scenario = await eventScenario()
  const process = await scenario.start()
  scenario.queue.instead = async () => Promise.reject(unavailable())
  const made = await scenario.calls(process, { count: 300, overMs: faultMs })
  expect(process.counter('eventsRead')).toBe(1_500)
  expect(process.pipeline.side.lagMs).toBeGreaterThan(faultMs - 5_000)
  expect(scenario.disk.used()).toBeGreaterThan(0)
  const tries = scenario.queue.calls.length

  const backAfterMs = await scenario.over(process)

  for (const uuid of made) expect(scenario.harness.eventsOf(uuid)).toEqual(inOrder)
  await checkEventScenario(scenario, {
    backAfterMs,
    faultMs,
    bounds: [{ of: 'tries while the queue refuses', value: tries, limit: triesIn(faultMs) }],
  })
})

test('F23 a full spool drops its oldest events, file by file, and counts each by class', async () => {
  const spoolBytes = 4 * mebi
  const faultMs = 8_000
  const scenario = await eventScenario({ spoolBytes })
  const process = await scenario.start()
  scenario.queue.instead = async () => Promise.reject(unavailable())
  const made = await scenario.calls(process, { count: 104, overMs: faultMs, holdBytes: 900_000 })

  const backAfterMs = await scenario.over(process)

  const held = scenario.harness.published.filter(({ name }) => name === 'CHANNEL_HOLD').map(({ uuid }) => uuid)
  expect(scenario.harness.eventsOf(made.at(-1) ?? '').toSorted()).toEqual([...inOrder, 'CHANNEL_HOLD'].toSorted())
  expect(process.counter('eventsDroppedCall')).toBeGreaterThan(10)
  expect(process.counter('eventsDroppedTerminal')).toBeGreaterThan(10)
  expect(held).toContain(made.at(-1))
  await checkEventScenario(scenario, { backAfterMs, faultMs, spoolBytes })
})

test('F24 a queue that refuses connections and then does not answer loses no event, and reading goes on', async () => {
  const scenario = await eventScenario()
  const process = await scenario.start()
  const { timers } = scenario.harness.time
  scenario.queue.instead = async () => Promise.reject(unavailable())
  await scenario.calls(process, { count: 30, overMs: 30_000 })
  scenario.queue.instead = async () => {
    // Three tries of three seconds, and what the adapter waits between them.
    await pause(timers, 9_250)
    throw unavailable()
  }
  const made = await scenario.calls(process, { count: 60, overMs: 60_000 })
  expect(process.counter('eventsRead')).toBe(scenario.sent)
  expect(process.counter('eventsPublished')).toBe(process.counter('cdrsRelayed') + 2)
  expect(process.counter('spoolEvents') + process.counter('eventsWaiting')).toBeGreaterThan(450)
  const tries = scenario.queue.calls.length

  const backAfterMs = await scenario.over(process)

  for (const uuid of made) expect(scenario.harness.eventsOf(uuid)).toEqual(inOrder)
  await checkEventScenario(scenario, {
    backAfterMs,
    faultMs: 90_000,
    bounds: [{ of: 'tries while the queue is away', value: tries, limit: triesIn(90_000) }],
  })
})

test('F25 if the queue refuses the third event of a batch of ten, only that one is sent again', async () => {
  const scenario = await eventScenario()
  const process = await scenario.start()
  const refused: string[] = []
  const batches: number[] = []
  scenario.queue.instead = async (batch, take) => {
    // While a call is under way others gather, so that batches are full.
    await pause(scenario.harness.time.timers, 100)
    batches.push(batch.length)
    const third = batch.length === 10 ? batch[2] : undefined
    if (third === undefined || refused.includes(third.id)) return take(batch)
    refused.push(third.id)
    await take(batch.filter((event) => event !== third))
    return [third.id]
  }
  const made = await scenario.calls(process, { count: 200, overMs: 2_000 })

  const backAfterMs = await scenario.over(process)

  expect(batches.filter((size) => size === 10).length).toBeGreaterThan(30)
  const sent = scenario.wanted.map(({ id }) => [id, scenario.queue.sent(id)])
  expect(refused.length).toBeGreaterThan(20)
  expect(sent.filter(([, times]) => times === 2).map(([id]) => id)).toEqual(expect.arrayContaining(refused))
  expect(sent.filter(([id, times]) => times !== (refused.includes(String(id)) ? 2 : 1))).toEqual([])
  for (const uuid of made) expect(scenario.harness.eventsOf(uuid)).toEqual(inOrder)
  await checkEventScenario(scenario, { backAfterMs, faultMs: 4_000 })
})

test('F26 a queue that accepts every batch but whose responses are lost causes no lost, reordered or duplicate event', async () => {
  const faultMs = 60_000
  const scenario = await eventScenario()
  const process = await scenario.start()
  scenario.queue.instead = async (batch, take) => {
    await take(batch)
    throw unavailable()
  }
  const made = await scenario.calls(process, { count: 60, overMs: faultMs })
  expect(process.counter('eventsRepeated')).toBeGreaterThan(10)
  const tries = scenario.queue.calls.length

  const backAfterMs = await scenario.over(process)

  for (const uuid of made) expect(scenario.harness.eventsOf(uuid)).toEqual(inOrder)
  await checkEventScenario(scenario, {
    backAfterMs,
    faultMs,
    bounds: [{ of: 'tries while answers are lost', value: tries, limit: triesIn(faultMs) }],
  })
})

test('F27 an event above the size of a message is published without its large values, and the events after it are complete', async () => {
  const scenario = await eventScenario()
  const process = await scenario.start()
  const made = await scenario.calls(process, { count: 8, overMs: 8_000, holdBytes: 1_500_000 })

  const backAfterMs = await scenario.over(process)

  const ofLarge = scenario.harness.published.filter(({ name }) => name === 'CHANNEL_HOLD')
  expect(ofLarge).toHaveLength(10)
  for (const { fields } of ofLarge) {
    expect(fields).toMatchObject({ Truncated: 'true', 'Truncated-Fields': 'filler', 'Caller-Caller-ID-Number': '1000' })
  }
  const others = scenario.harness.published.filter(({ name }) => name !== 'CHANNEL_HOLD')
  expect(others.filter(({ fields }) => 'Truncated' in fields)).toEqual([])
  for (const uuid of made) expect(scenario.harness.eventsOf(uuid).toSpliced(2, 1)).toEqual(inOrder)
  const largest = Math.max(...scenario.harness.published.map((event) => Buffer.byteLength(JSON.stringify(event))))
  await checkEventScenario(scenario, {
    backAfterMs,
    faultMs: 0,
    bounds: [{ of: 'bytes of a message', value: largest, limit: mebi }],
  })
})

test('F28 a queue that considers the credentials expired is tried again, and no event is lost', async () => {
  const faultMs = 60_000
  const scenario = await eventScenario()
  const process = await scenario.start()
  scenario.queue.instead = async () => {
    const cause = new Error(`ExpiredToken (403) ${scenarioSecrets.queue}`)
    throw new DomainError('internal_error', 'the queue refused the request', { cause })
  }
  const made = await scenario.calls(process, { count: 60, overMs: faultMs })
  const tries = scenario.queue.calls.length

  const backAfterMs = await scenario.over(process)

  for (const uuid of made) expect(scenario.harness.eventsOf(uuid)).toEqual(inOrder)
  await checkEventScenario(scenario, {
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
  const scenario = await eventScenario({ time, publish: (batch) => sink.publish(batch) })
  task.answer = { status: 200, endsAt: time.clock.now() + 60_000 }
  const process = await scenario.start()
  for (let step = 0; step < 4; step += 1) {
    task.answer = { status: 200, endsAt: time.clock.now() + 60_000 }
    await scenario.calls(process, { count: 2, overMs: 20_000 })
    expect(process.pipeline.side.waiting).toBe(0)
  }
  task.answer = { status: 500, endsAt: time.clock.now() }
  // The stored credentials serve until they expire.
  await scenario.calls(process, { count: 2, overMs: 39_000 })
  expect(process.pipeline.side.waiting).toBe(0)
  const before = task.asked()
  await scenario.calls(process, { count: 4, overMs: 20_000 })
  expect(process.pipeline.side.waiting).toBeGreaterThan(10)
  const asked = task.asked() - before

  task.answer = { status: 200, endsAt: time.clock.now() + 60_000 }
  const backAfterMs = await scenario.over(process)

  expect(expired).toEqual([])
  const ids = cloud.server.waiting('events').map(({ deduplicationId }) => deduplicationId)
  expect(ids).toHaveLength(scenario.harness.published.length)
  expect(new Set(ids)).toEqual(new Set(scenario.harness.published.map(({ id }) => id)))
  const messages = JSON.stringify(cloud.server.waiting('events'))
  await checkEventScenario(scenario, {
    backAfterMs,
    faultMs: 20_000,
    bounds: [
      { of: 'questions for credentials', value: asked, limit: 3 * triesIn(20_000) },
      { of: 'secrets in messages', value: messages.split(taskSecret).length - 1, limit: 0 },
    ],
  })
})

test('F29 the next process publishes the events that a connector stored on disk when it stopped without a queue', async () => {
  const scenario = await eventScenario()
  const process = await scenario.start()
  scenario.queue.instead = async () => Promise.reject(unavailable())
  const made = await scenario.calls(process, { count: 20, overMs: 100 })

  expect(await process.pipeline.side.close()).toBe(0)
  process.kill()

  const next = await scenario.start()
  const backAfterMs = await scenario.over(next)
  for (const uuid of made) expect(scenario.harness.eventsOf(uuid)).toEqual(inOrder)
  await checkEventScenario(scenario, { backAfterMs, faultMs: 3_100 })
})

test('F29 the events that a connector loses when it is stopped without queue and disk are counted and recorded', async () => {
  const scenario = await eventScenario()
  const process = await scenario.start()
  scenario.disk.isReadOnly = true
  scenario.queue.instead = async () => Promise.reject(unavailable())
  await scenario.calls(process, { count: 20, overMs: 100 })
  // The queue of CDRs takes what there is for it.
  await scenario.harness.time.advance(1_000)

  // Five calls are the other tenant's; each has four events of the engine and two of its account.
  expect(await process.pipeline.side.close()).toBe(25 * 6)
  process.kill()

  const next = await scenario.start()
  const backAfterMs = await scenario.over(next)
  await checkEventScenario(scenario, { backAfterMs, faultMs: 2_100 })
})

test("F30 the next connector publishes all but the last second of a killed one's events, before any newer event", async () => {
  const scenario = await eventScenario()
  const process = await scenario.start()
  scenario.queue.instead = async () => Promise.reject(unavailable())
  const made = await scenario.calls(process, { count: 20, overMs: 10_000 })
  const uuid = '00000000-0000-4000-8000-00000000ca11'
  const headers = ofCall(scenario.harness.time.clock.now())
  await scenario.tell(process, { name: 'CHANNEL_CREATE', uuid, headers })
  await scenario.tell(process, { name: 'CHANNEL_ANSWER', uuid, headers })
  await scenario.harness.time.advance(1_000)
  process.kill()

  const next = await scenario.start({ rows: [{ uuid }] })
  for (const name of ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']) await scenario.tell(next, { name, uuid, headers })
  expect(next.counter('spoolFound')).toBe(25 * 6 + 3)
  const backAfterMs = await scenario.over(next)

  for (const one of [...made, uuid]) expect(scenario.harness.eventsOf(one)).toEqual(inOrder)
  await checkEventScenario(scenario, { backAfterMs, faultMs: 13_000 })
})

test('an event that belongs to a domain by its call alone is published by the next process, although it never heard the call begin', async () => {
  const scenario = await eventScenario()
  const { time } = scenario.harness
  const process = await scenario.start()
  const uuid = '00000000-0000-4000-8000-00000000ca12'
  await scenario.tell(process, { name: 'CHANNEL_CREATE', uuid, headers: ofCall(time.clock.now()) })
  await time.advance(1_000)
  expect(process.pipeline.side.waiting).toBe(0)
  scenario.queue.instead = async () => Promise.reject(unavailable())
  await scenario.tell(process, { name: 'CHANNEL_HOLD', uuid, headers: {} })
  await time.advance(1_000)
  process.kill()

  await scenario.start({ rows: [{ uuid }] })
  scenario.queue.instead = undefined
  await time.advance(10_000)

  expect(scenario.harness.eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_HOLD'])
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
    const scenario = await eventScenario()
    const process = await scenario.start()
    fail(scenario.disk)
    scenario.queue.instead = async () => Promise.reject(unavailable())
    const made = await scenario.calls(process, { count: 104, overMs: faultMs, holdBytes: 900_000 })
    const counters = process.pipeline.side.counters()
    expect(counters['eventsDropped']).toBeGreaterThan(10)
    expect(counters['eventsDroppedTerminal']).toBeGreaterThan(10)
    // The metric that the alarm `EventsNotOnDisk` watches.
    const { totals } = readMetrics({ ...aHealth, counters })
    expect(totals.SpoolSkipped).toBeGreaterThan(100)
    expect(totals.SpoolFailures).toBeLessThanOrEqual(faultMs / 5_000)

    const backAfterMs = await scenario.over(process)

    expect(scenario.harness.eventsOf(made.at(-1) ?? '').slice(-2)).toEqual(inOrder.slice(-2))
    await checkEventScenario(scenario, { backAfterMs, faultMs })
  },
)

test('F31 a full disk has no effect while the queue accepts events', async () => {
  const scenario = await eventScenario()
  const process = await scenario.start()
  scenario.disk.room = 0
  const made = await scenario.calls(process, { count: 40, overMs: 40_000 })
  expect(process.counter('spoolSkipped')).toBe(0)

  const backAfterMs = await scenario.over(process)

  for (const uuid of made) expect(scenario.harness.eventsOf(uuid)).toEqual(inOrder)
  await checkEventScenario(scenario, { backAfterMs, faultMs: 40_000 })
})
