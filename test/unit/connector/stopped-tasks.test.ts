import { describe, expect, test } from 'vitest'
import { type Task, type TaskHarness, taskHarness } from '../../support/connector/task-harness.ts'

/** A number of seconds in which the engine sends an event at this interval. */
async function live(harness: TaskHarness, seconds: number, everyMs = 200): Promise<void> {
  for (let passedMs = 0; passedMs < seconds * 1_000; passedMs += everyMs) {
    await harness.tell()
    await harness.time.advance(everyMs)
  }
}

/** Long enough that the others know what became of a disk. */
const untilKnown = (harness: TaskHarness) => live(harness, 160, 4_000)

/** Stops tasks at once, while the engine goes on sending events for longer than that takes. */
async function stopped(harness: TaskHarness, ...tasks: readonly Task[]): Promise<number[]> {
  const stopping = Promise.all(tasks.map((task) => task.stop()))
  await live(harness, 27)
  return stopping
}

/** Two tasks that have listened for ten seconds and have queued all. */
async function twoTasks() {
  const harness = await taskHarness()
  const one = await harness.start('one')
  const other = await harness.start('other')
  await live(harness, 10)
  return { harness, one, other, start: harness.time.clock.now() }
}

async function recorded(harness: TaskHarness): Promise<string[]> {
  const gaps = await harness.gaps()
  return gaps.map(({ connectorId, reason }) => `${connectorId} ${reason}`).toSorted((a, b) => a.localeCompare(b))
}

describe('tasks that are replaced while the event queue is away', () => {
  test('tasks that are replaced during an outage of the event queue lose the events on their disks, and each leaves a gap for them', async () => {
    const { harness, one, other, start } = await twoTasks()
    harness.isQueueAway = true
    await live(harness, 60)
    const stopsAt = harness.time.clock.now()

    expect(await stopped(harness, one, other)).toEqual([0, 0])
    await harness.start('three')
    await harness.start('four')
    await untilKnown(harness)
    harness.isQueueAway = false
    await live(harness, 10)

    const lost = (await harness.gaps()).filter(({ reason }) => reason === 'spool-lost')
    expect(await recorded(harness)).toEqual([
      'one connector-stopped',
      'one spool-lost',
      'other connector-stopped',
      'other spool-lost',
    ])
    // From the last event that was handed over.
    expect(lost.map(({ from, to }) => [from, to])).toEqual([
      [start - 200, stopsAt],
      [start - 200, stopsAt],
    ])
    expect((await harness.report('one'))?.spool?.left).toBeGreaterThan(300)
    expect(await harness.unrecorded()).toEqual([])
  })

  test('tasks that are replaced during an outage of the event queue leave a gap for the time in which only they were connected', async () => {
    const { harness, one, other, start } = await twoTasks()
    harness.isQueueAway = true
    await live(harness, 30)
    await harness.start('three')
    await live(harness, 30)
    const stopsAt = harness.time.clock.now()

    await stopped(harness, one, other)
    harness.isQueueAway = false
    await untilKnown(harness)

    expect(await recorded(harness)).toEqual(['one spool-lost', 'other spool-lost'])
    expect(await harness.gaps()).toMatchObject([
      { from: start - 200, to: stopsAt },
      { from: start - 200, to: stopsAt },
    ])
    expect(await harness.unrecorded()).toEqual([])
  })

  test('tasks that are replaced during an outage of the event queue leave no gap if one of them still handed over everything', async () => {
    const { harness, one, other } = await twoTasks()
    harness.isQueueAway = true
    await live(harness, 60)
    one.isCutOff = true
    const stopping = stopped(harness, one, other)
    await harness.time.advance(5_000)
    harness.isQueueAway = false
    await stopping
    await harness.start('three')
    await untilKnown(harness)

    expect((await harness.report('one'))?.spool?.left).toBeGreaterThan(300)
    expect((await harness.report('other'))?.spool?.left).toBe(0)
    expect(await recorded(harness)).toEqual(['one connector-stopped', 'other connector-stopped'])
    expect(await harness.unrecorded()).toEqual([])
  })

  test('tasks that are replaced during an outage of the event queue leave no gap if a process starts again on their disk', async () => {
    const { harness, one, other } = await twoTasks()
    harness.isQueueAway = true
    await live(harness, 60)

    await stopped(harness, one, other)
    await harness.start('one again', harness.diskOf('one'))
    await harness.start('other again', harness.diskOf('other'))
    harness.isQueueAway = false
    await untilKnown(harness)

    expect(await recorded(harness)).toEqual(['one connector-stopped', 'other connector-stopped'])
    expect(await harness.unrecorded()).toEqual([])
  })

  test('tasks that are replaced during an outage of the event queue leave a gap that includes the half second before the stop', async () => {
    const { harness, one, other } = await twoTasks()
    harness.isQueueAway = true
    await harness.tell()
    await harness.time.advance(400)

    await stopped(harness, one, other)
    harness.isQueueAway = false
    await harness.start('three')
    await untilKnown(harness)

    expect(await recorded(harness)).toEqual([
      'one connector-stopped',
      'one spool-lost',
      'other connector-stopped',
      'other spool-lost',
    ])
    expect(await harness.unrecorded()).toEqual([])
  })

  test('tasks with full disks that are replaced during an outage of the event queue record what they drop as dropped, and not a second time', async () => {
    const { harness, one, other } = await twoTasks()
    for (const { id } of [one, other]) harness.diskOf(id).files.room = 0
    harness.isQueueAway = true
    await live(harness, 60)

    const lost = await stopped(harness, one, other)
    harness.isQueueAway = false
    await harness.start('three')
    await untilKnown(harness)

    expect(Math.min(...lost)).toBeGreaterThan(300)
    expect(await recorded(harness)).toEqual([
      'one connector-stopped',
      'one dropped',
      'other connector-stopped',
      'other dropped',
    ])
    expect((await harness.gaps()).flatMap(({ dropped }) => dropped?.count ?? [])).toEqual(lost)
    expect(await harness.unrecorded()).toEqual([])
  })
})

describe('a stop in order while the queue works', () => {
  test('an orderly stop of all tasks, one after the other and each after its successor has started, leaves no gap', async () => {
    const { harness, one, other } = await twoTasks()
    harness.queueMs = 150

    for (const [task, successor] of [
      [one, 'three'],
      [other, 'four'],
    ] as const) {
      await harness.start(successor)
      await live(harness, 30)
      await harness.tell()
      await harness.time.advance(50)
      await stopped(harness, task)
    }
    await untilKnown(harness)

    expect(await recorded(harness)).toEqual([])
    expect(await harness.unrecorded()).toEqual([])
  })

  test('an orderly stop of the only task leaves a gap until its successor is connected, and loses no event that it had read', async () => {
    const harness = await taskHarness()
    const one = await harness.start('one')
    harness.queueMs = 150
    await live(harness, 10)
    await harness.tell()
    await harness.time.advance(50)

    await stopped(harness, one)
    await harness.start('next')
    await untilKnown(harness)

    expect(await recorded(harness)).toEqual(['one connector-stopped'])
    expect(await harness.unrecorded()).toEqual([])
  })
})

test('a task whose queue is away reports its progress every five seconds for as long as its stop takes', async () => {
  const { harness, one, other } = await twoTasks()
  harness.isQueueAway = true
  await live(harness, 10, 1_000)
  const stopsAt = harness.time.clock.now()
  const stopping = one.stop(110_000)
  const ages: number[] = []
  for (let passed = 0; passed < 100; passed += 1) {
    await live(harness, 1, 1_000)
    ages.push(harness.time.clock.now() - ((await harness.report('one'))?.reportedAt ?? 0))
  }
  harness.isQueueAway = false
  await live(harness, 20, 1_000)

  expect(await stopping).toBe(0)
  expect(Math.max(...ages)).toBeLessThanOrEqual(6_000)
  expect(await harness.report('one')).toMatchObject({ stoppedAt: stopsAt, spool: { left: 0 } })
  expect((await harness.report('one'))?.handedOverTo).toBeGreaterThan(stopsAt + 90_000)
  await other.stop()
  expect(await harness.unrecorded()).toEqual([])
})

test('a task that is killed in the middle of its stop leaves a gap of what it had not handed over when the stop began', async () => {
  const harness = await taskHarness()
  const one = await harness.start('one')
  await live(harness, 10)
  const from = harness.time.clock.now()
  harness.isQueueAway = true
  await live(harness, 30)
  const to = harness.time.clock.now()

  void one.stop()
  await live(harness, 8)
  one.kill()
  harness.isQueueAway = false
  await harness.start('next')
  await untilKnown(harness)

  expect(await recorded(harness)).toEqual(['one connector-stopped', 'one spool-lost'])
  expect((await harness.gaps()).find(({ reason }) => reason === 'spool-lost')).toMatchObject({ from: from - 200, to })
  expect((await harness.report('one'))?.spool).not.toHaveProperty('left')
  expect(await harness.unrecorded()).toEqual([])
})

test('the report from the beginning of a stop counts if the last report cannot be stored', async () => {
  const harness = await taskHarness()
  const one = await harness.start('one')
  harness.isQueueAway = true
  await live(harness, 30)

  const stopping = stopped(harness, one)
  await harness.time.advance(2_000)
  harness.isStatusAway = true
  harness.isQueueAway = false
  await stopping
  harness.isStatusAway = false
  await harness.start('next')
  await untilKnown(harness)

  expect(await recorded(harness)).toEqual(['one connector-stopped', 'one spool-lost'])
  expect(one.log.lines.map(({ message }) => message)).toContain('that the connector stops could not be stored')
})

test('a task that ends while its engine link is down leaves a gap from the loss of the link on', async () => {
  for (const end of ['stop', 'kill'] as const) {
    const { harness, one, other } = await twoTasks()
    const lostAt = harness.time.clock.now()
    await one.linkDown()
    await other.linkDown()
    await live(harness, 12)

    for (const task of [one, other]) void task[end]()
    await live(harness, 27)
    const heardAt = harness.time.clock.now()
    await harness.start('three')
    await live(harness, 60)

    expect(await harness.gaps()).toMatchObject(
      [0, 1].map(() => ({
        from: lostAt - 200,
        to: heardAt,
        reason: end === 'stop' ? 'connector-stopped' : 'connector-killed',
      })),
    )
    expect(await harness.unrecorded()).toEqual([])
  }
})

test('a stop ends at most 5 s after its grace period, even if none of its writes is answered', async () => {
  const harness = await taskHarness()
  const one = await harness.start('one')
  harness.isQueueAway = true
  await live(harness, 10)
  harness.statusMs = 600_000
  const stopsAt = harness.time.clock.now()

  let endedAt = 0
  void one.stop(20_000).then(() => (endedAt = harness.time.clock.now()))
  await live(harness, 60)

  expect(endedAt - stopsAt).toBeGreaterThan(20_000)
  expect(endedAt - stopsAt).toBeLessThanOrEqual(25_000)
})

test('events that a task had only in memory when its stop began are a gap if it is killed then, although its disk is taken over', async () => {
  const harness = await taskHarness()
  const one = await harness.start('one')
  await live(harness, 10)
  one.kill()
  const two = await harness.start('two', harness.diskOf('one'))
  harness.queueMs = 5_000
  await live(harness, 3)

  const stoppedAt = harness.time.clock.now()
  void two.stop()
  await harness.time.advance(100)
  two.kill()
  harness.queueMs = 0
  await harness.start('three', harness.diskOf('one'))
  await untilKnown(harness)

  const lost = (await harness.gaps()).filter(({ reason }) => reason === 'connector-stopped')
  expect(lost).toMatchObject([{ connectorId: 'two' }])
  expect(lost[0]?.from).toBeLessThan(stoppedAt)
  expect(lost[0]?.from).toBeGreaterThanOrEqual(stoppedAt - 500)
  expect(await harness.unrecorded()).toEqual([])
})
