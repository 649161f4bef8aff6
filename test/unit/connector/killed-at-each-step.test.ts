import { expect, test } from 'vitest'
import { breadth, eachNth } from '../../support/breadth.ts'
import { seeded } from '../../support/records/seeded.ts'
import { type Task, type TaskLab, type TaskStep, taskLab, taskSteps } from '../../support/connector/task-lab.ts'

/** Where a task is killed: at the step of that name that comes so many times after it is looked for. */
interface KillPoint {
  readonly step: TaskStep
  readonly times: number
}

/**
 * How late a connector reads, and how much the engine's clock is ahead; clocks differ by less than a second. Before
 * each kill the queue may be away for a while.
 */
interface World {
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
async function live(lab: TaskLab, ms: number, isOver = () => false): Promise<void> {
  for (let passedMs = 0; passedMs < ms && !isOver(); passedMs += everyMs) {
    await lab.tell()
    await lab.time.advance(everyMs)
  }
}

/** Lives until the task is killed at a point; where that does not come in 12 s, it is killed then. */
async function killAt(lab: TaskLab, victim: Task, { step, times }: KillPoint, tally?: Tally): Promise<void> {
  let left = times
  lab.onStep = (name, task) => {
    if (task !== victim || name !== step) return
    left -= 1
    if (left === 0) victim.kill()
  }
  await live(lab, 12_000, () => left <= 0)
  if (left === 0) tally?.kills.set(step, (tally.kills.get(step) ?? 0) + 1)
  victim.kill()
}

/** A service whose queue and stores take their time, so that events are found at each step. */
async function aSlowService({ transitMs, engineAheadMs, eventName }: World): Promise<TaskLab> {
  const lab = await taskLab(eventName)
  return Object.assign(lab, { transitMs, engineAheadMs, diskMs: 40, domainMs: 25, queueMs: 600, statusMs: 20 })
}

/**
 * One task after the other on one disk, each killed at its point, the last one not. The waits between them grow as
 * those of a process that is started again. Returns the times of events that are neither queued nor in a gap.
 */
async function afterKills(world: World, points: readonly KillPoint[], tally?: Tally): Promise<number[]> {
  const lab = await aSlowService(world)
  let task = await lab.start('task-0')
  await live(lab, 6_000)
  let waitMs = 250
  for (const [index, point] of points.entries()) {
    const awayMs = world.queueAwayMs?.[index] ?? 0
    lab.isQueueAway = awayMs > 0
    lab.time.timers.after(awayMs, () => (lab.isQueueAway = false))
    await killAt(lab, task, point, tally)
    await live(lab, waitMs)
    waitMs = Math.min(10_000, waitMs * 2)
    task = await lab.start(`task-${index + 1}`, lab.diskOf(task.id))
  }
  for (let seconds = 0; seconds < 60; seconds += 4) {
    await lab.tell()
    await lab.time.advance(4_000)
  }
  if (tally !== undefined) {
    const { sent, queued } = lab.counts()
    Object.assign(tally, { runs: tally.runs + 1, sent: tally.sent + sent, queued: tally.queued + queued })
  }
  return lab.unrecorded()
}

const worlds: readonly World[] = [
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
      const world = worlds[taskSteps.indexOf(next) % worlds.length] ?? expect.fail()
      const missing = await afterKills(world, points)
      if (missing.length > 0) lost.push({ points, world, missing })
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
    const world = {
      transitMs: Math.floor(random() ** 3 * 3_000),
      engineAheadMs: Math.floor((random() - 0.5) * 1_800),
      queueAwayMs: points.map(() => Math.max(0, Math.floor((random() - 0.5) * 12_000))),
      eventName: seed % 2 === 0 ? 'CHANNEL_HOLD' : 'CHANNEL_CREATE',
    }
    const missing = await afterKills(world, points, tally)
    if (missing.length > 0) lost.push({ seed, world, points, missing })
  }
  expect(lost).toEqual([])
  expect(taskSteps.filter((step) => (tally.kills.get(step) ?? 0) < breadth(0, 5))).toEqual([])
  expect(tally.sent).toBeGreaterThan(breadth(2_000, 20_000))
  expect(tally.queued).toBeGreaterThan(breadth(1_000, 10_000))
}, 120_000)

test('the gap of a killed connector does not end with a successor that does not get all wanted events yet', async () => {
  const lab = await taskLab('CHANNEL_PARK')
  const one = await lab.start('one')
  await live(lab, 10_000)
  one.kill()
  await live(lab, 1_000)
  lab.subscribeMs = 8_000

  const two = await lab.start('two', lab.diskOf('one'))
  for (let passedMs = 0; passedMs < 7_000; passedMs += 50) {
    lab.beat()
    await lab.tell()
    await lab.time.advance(50)
  }
  two.kill()
  await lab.start('three', lab.diskOf('one'))
  await live(lab, 60_000)

  expect(await lab.unrecorded()).toEqual([])
})

test('a gap begins early enough if a connector that reads late has persisted nothing for minutes', async () => {
  const lab = await taskLab()
  lab.transitMs = 2_500
  const one = await lab.start('one')
  for (let seconds = 0; seconds < 700; seconds += 5) {
    lab.beat()
    await lab.time.advance(5_000)
  }
  lab.isQueueAway = true
  lab.diskOf('one').files.room = 0
  await live(lab, 200_000)
  one.kill()
  lab.isQueueAway = false
  await lab.start('two', lab.diskOf('one'))
  await live(lab, 60_000)
  await lab.time.advance(5_000)

  expect(await lab.unrecorded()).toEqual([])
})
