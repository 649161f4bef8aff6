import { expect, test } from 'vitest'
import { breadth, eachNth } from '../../support/breadth.ts'
import { seeded } from '../../support/records/seeded.ts'
import {
  type Task,
  type TaskHarness,
  type TaskStep,
  taskHarness,
  taskSteps,
} from '../../support/connector/task-harness.ts'

/** Where a task is killed: at the step of that name that comes so many times after it is looked for. */
interface KillPoint {
  readonly step: TaskStep
  readonly times: number
}

/**
 * How late a connector reads, and how much the engine's clock is ahead; clocks differ by less than a second. Before
 * each kill the queue may be away for a while.
 */
interface Harness {
  readonly transitMs: number
  readonly engineAheadMs: number
  readonly queueAwayMs?: readonly number[]
  readonly eventName?: string
}

/** Counts over runs: events that the engine sent, those of them that were queued, and kills that met their step. */
interface Tally {
  runs: number
  sent: number
  queued: number
  readonly kills: Map<TaskStep, number>
}

/** The interval between two events of the engine. */
const everyMs = 170

/** The engine goes on telling, and time goes on, for a while or until something is so. */
async function live(pipeline: TaskHarness, ms: number, isOver = () => false): Promise<void> {
  for (let passedMs = 0; passedMs < ms && !isOver(); passedMs += everyMs) {
    await pipeline.tell()
    await pipeline.time.advance(everyMs)
  }
}

/** Lives until the task is killed at a point; where that does not come in 12 s, it is killed then. */
async function killAt(pipeline: TaskHarness, victim: Task, { step, times }: KillPoint, tally?: Tally): Promise<void> {
  let left = times
  pipeline.onStep = (name, task) => {
    if (task !== victim || name !== step) return
    left -= 1
    if (left === 0) victim.kill()
  }
  await live(pipeline, 12_000, () => left <= 0)
  if (left === 0) tally?.kills.set(step, (tally.kills.get(step) ?? 0) + 1)
  victim.kill()
}

/** A service whose queue and stores take their time, so that events are found at each step. */
async function aSlowService({ transitMs, engineAheadMs, eventName }: Harness): Promise<TaskHarness> {
  const pipeline = await taskHarness(eventName)
  return Object.assign(pipeline, { transitMs, engineAheadMs, diskMs: 40, domainMs: 25, queueMs: 600, statusMs: 20 })
}

/**
 * One task after the other on one disk, each killed at its point, the last one not. The waits between them grow as
 * those of a process that is started again. Returns the times of events that are neither queued nor in a gap.
 */
async function afterKills(harness: Harness, points: readonly KillPoint[], tally?: Tally): Promise<number[]> {
  const pipeline = await aSlowService(harness)
  let task = await pipeline.start('task-0')
  await live(pipeline, 6_000)
  let waitMs = 250
  for (const [index, point] of points.entries()) {
    const awayMs = harness.queueAwayMs?.[index] ?? 0
    pipeline.isQueueAway = awayMs > 0
    pipeline.time.timers.after(awayMs, () => (pipeline.isQueueAway = false))
    await killAt(pipeline, task, point, tally)
    await live(pipeline, waitMs)
    waitMs = Math.min(10_000, waitMs * 2)
    task = await pipeline.start(`task-${index + 1}`, pipeline.diskOf(task.id))
  }
  for (let seconds = 0; seconds < 60; seconds += 4) {
    await pipeline.tell()
    await pipeline.time.advance(4_000)
  }
  if (tally !== undefined) {
    const { sent, queued } = pipeline.counts()
    Object.assign(tally, { runs: tally.runs + 1, sent: tally.sent + sent, queued: tally.queued + queued })
  }
  return pipeline.unrecorded()
}

const harnesses: readonly Harness[] = [
  { transitMs: 30, engineAheadMs: 0 },
  { transitMs: 2_500, engineAheadMs: 0 },
  { transitMs: 30, engineAheadMs: 900 },
  { transitMs: 30, engineAheadMs: -900 },
]

test.each(taskSteps)(
  'no event is lost in silence when one connector is killed at the step "%s" and the next one at any step',
  async (step) => {
    const random = seeded(taskSteps.indexOf(step))
    const times = () => 1 + Math.floor(random() * 8)
    const lost: unknown[] = []

    for (const next of eachNth(taskSteps, 4, taskSteps.indexOf(step))) {
      const points = [
        { step, times: times() },
        { step: next, times: times() },
      ]
      const harness = harnesses[taskSteps.indexOf(next) % harnesses.length] ?? expect.fail()
      const missing = await afterKills(harness, points)
      if (missing.length > 0) lost.push({ points, harness, missing })
    }

    expect(lost).toEqual([])
  },
)

/** Steps that a connector may meet once in its life. */
const rareSteps = new Set<TaskStep>([
  'asking',
  'asked',
  'reading back',
  'read back',
  'recording a gap',
  'recorded a gap',
])

test('no event is lost without a recorded gap in runs that each kill eight connectors, even after an outage of the queue', async () => {
  const lost: unknown[] = []
  const tally: Tally = { runs: 0, sent: 0, queued: 0, kills: new Map() }

  for (let seed = 1; seed <= breadth(6, 50); seed += 1) {
    const random = seeded(seed)
    const points = Array.from({ length: 8 }, () => {
      const step = taskSteps[Math.floor(random() * taskSteps.length)] ?? 'read'
      return { step, times: rareSteps.has(step) ? 1 : 1 + Math.floor(random() * 12) }
    })
    const harness = {
      transitMs: Math.floor(random() ** 3 * 3_000),
      engineAheadMs: Math.floor((random() - 0.5) * 1_800),
      queueAwayMs: points.map(() => Math.max(0, Math.floor((random() - 0.5) * 12_000))),
      eventName: seed % 2 === 0 ? 'CHANNEL_HOLD' : 'CHANNEL_CREATE',
    }
    const missing = await afterKills(harness, points, tally)
    if (missing.length > 0) lost.push({ seed, harness, points, missing })
  }
  expect(lost).toEqual([])
  expect(taskSteps.filter((step) => (tally.kills.get(step) ?? 0) < breadth(0, 5))).toEqual([])
  expect(tally.sent).toBeGreaterThan(breadth(2_000, 20_000))
  expect(tally.queued).toBeGreaterThan(breadth(1_000, 10_000))
}, 120_000)

test('the gap of a killed connector does not end with a successor that does not get all wanted events yet', async () => {
  const pipeline = await taskHarness('CHANNEL_PARK')
  const one = await pipeline.start('one')
  await live(pipeline, 10_000)
  one.kill()
  await live(pipeline, 1_000)
  pipeline.subscribeMs = 8_000

  const two = await pipeline.start('two', pipeline.diskOf('one'))
  for (let passedMs = 0; passedMs < 7_000; passedMs += 50) {
    pipeline.beat()
    await pipeline.tell()
    await pipeline.time.advance(50)
  }
  two.kill()
  await pipeline.start('three', pipeline.diskOf('one'))
  await live(pipeline, 60_000)

  expect(await pipeline.unrecorded()).toEqual([])
})

test('a gap begins early enough if a connector that reads late has persisted nothing for minutes', async () => {
  const pipeline = await taskHarness()
  pipeline.transitMs = 2_500
  const one = await pipeline.start('one')
  for (let seconds = 0; seconds < 700; seconds += 5) {
    pipeline.beat()
    await pipeline.time.advance(5_000)
  }
  pipeline.isQueueAway = true
  pipeline.diskOf('one').files.room = 0
  await live(pipeline, 200_000)
  one.kill()
  pipeline.isQueueAway = false
  await pipeline.start('two', pipeline.diskOf('one'))
  await live(pipeline, 60_000)
  await pipeline.time.advance(5_000)

  expect(await pipeline.unrecorded()).toEqual([])
})
