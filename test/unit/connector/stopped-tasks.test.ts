import { describe, expect, test } from 'vitest'
import { type Task, type TaskLab, taskLab } from '../../support/connector/task-lab.ts'

/** A number of seconds in which the engine sends an event at this interval. */
async function live(lab: TaskLab, seconds: number, everyMs = 200): Promise<void> {
  for (let passedMs = 0; passedMs < seconds * 1_000; passedMs += everyMs) {
    await lab.tell()
    await lab.time.advance(everyMs)
  }
}

/** Long enough that the others know what became of a disk. */
const untilKnown = (lab: TaskLab) => live(lab, 160, 4_000)

/** Stops tasks at once, while the engine goes on sending events for longer than that takes. */
async function stopped(lab: TaskLab, ...tasks: readonly Task[]): Promise<number[]> {
  const stopping = Promise.all(tasks.map((task) => task.stop()))
  await live(lab, 27)
  return stopping
}

/** Two tasks that have listened for ten seconds and have queued all. */
async function twoTasks() {
  const lab = await taskLab()
  const one = await lab.start('one')
  const other = await lab.start('other')
  await live(lab, 10)
  return { lab, one, other, start: lab.time.clock.now() }
}

async function recorded(lab: TaskLab): Promise<string[]> {
  const gaps = await lab.gaps()
  return gaps.map(({ connectorId, reason }) => `${connectorId} ${reason}`).toSorted((a, b) => a.localeCompare(b))
}

describe('tasks that are replaced while the event queue is away', () => {
  test('tasks that are replaced during an outage of the event queue lose the events on their disks, and each leaves a gap for them', async () => {
    const { lab, one, other, start } = await twoTasks()
    lab.isQueueAway = true
    await live(lab, 60)
    const stopsAt = lab.time.clock.now()

    expect(await stopped(lab, one, other)).toEqual([0, 0])
    await lab.start('three')
    await lab.start('four')
    await untilKnown(lab)
    lab.isQueueAway = false
    await live(lab, 10)

    const lost = (await lab.gaps()).filter(({ reason }) => reason === 'spool-lost')
    expect(await recorded(lab)).toEqual([
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
    expect((await lab.report('one'))?.spool?.left).toBeGreaterThan(300)
    expect(await lab.unrecorded()).toEqual([])
  })

  test('tasks that are replaced during an outage of the event queue leave a gap for the time in which only they were connected', async () => {
    const { lab, one, other, start } = await twoTasks()
    lab.isQueueAway = true
    await live(lab, 30)
    await lab.start('three')
    await live(lab, 30)
    const stopsAt = lab.time.clock.now()

    await stopped(lab, one, other)
    lab.isQueueAway = false
    await untilKnown(lab)

    expect(await recorded(lab)).toEqual(['one spool-lost', 'other spool-lost'])
    expect(await lab.gaps()).toMatchObject([
      { from: start - 200, to: stopsAt },
      { from: start - 200, to: stopsAt },
    ])
    expect(await lab.unrecorded()).toEqual([])
  })

  test('tasks that are replaced during an outage of the event queue leave no gap if one of them still handed over everything', async () => {
    const { lab, one, other } = await twoTasks()
    lab.isQueueAway = true
    await live(lab, 60)
    one.isCutOff = true
    const stopping = stopped(lab, one, other)
    await lab.time.advance(5_000)
    lab.isQueueAway = false
    await stopping
    await lab.start('three')
    await untilKnown(lab)

    expect((await lab.report('one'))?.spool?.left).toBeGreaterThan(300)
    expect((await lab.report('other'))?.spool?.left).toBe(0)
    expect(await recorded(lab)).toEqual(['one connector-stopped', 'other connector-stopped'])
    expect(await lab.unrecorded()).toEqual([])
  })

  test('tasks that are replaced during an outage of the event queue leave no gap if a process starts again on their disk', async () => {
    const { lab, one, other } = await twoTasks()
    lab.isQueueAway = true
    await live(lab, 60)

    await stopped(lab, one, other)
    await lab.start('one again', lab.diskOf('one'))
    await lab.start('other again', lab.diskOf('other'))
    lab.isQueueAway = false
    await untilKnown(lab)

    expect(await recorded(lab)).toEqual(['one connector-stopped', 'other connector-stopped'])
    expect(await lab.unrecorded()).toEqual([])
  })

  test('tasks that are replaced during an outage of the event queue leave a gap that includes the half second before the stop', async () => {
    const { lab, one, other } = await twoTasks()
    lab.isQueueAway = true
    await lab.tell()
    await lab.time.advance(400)

    await stopped(lab, one, other)
    lab.isQueueAway = false
    await lab.start('three')
    await untilKnown(lab)

    expect(await recorded(lab)).toEqual([
      'one connector-stopped',
      'one spool-lost',
      'other connector-stopped',
      'other spool-lost',
    ])
    expect(await lab.unrecorded()).toEqual([])
  })

  test('tasks with full disks that are replaced during an outage of the event queue record what they drop as dropped, and not a second time', async () => {
    const { lab, one, other } = await twoTasks()
    for (const { id } of [one, other]) lab.diskOf(id).files.room = 0
    lab.isQueueAway = true
    await live(lab, 60)

    const lost = await stopped(lab, one, other)
    lab.isQueueAway = false
    await lab.start('three')
    await untilKnown(lab)

    expect(Math.min(...lost)).toBeGreaterThan(300)
    expect(await recorded(lab)).toEqual([
      'one connector-stopped',
      'one dropped',
      'other connector-stopped',
      'other dropped',
    ])
    expect((await lab.gaps()).flatMap(({ dropped }) => dropped?.count ?? [])).toEqual(lost)
    expect(await lab.unrecorded()).toEqual([])
  })
})

describe('a stop in order while the queue works', () => {
  test('an orderly stop of all tasks, one after the other and each after its successor has started, leaves no gap', async () => {
    const { lab, one, other } = await twoTasks()
    lab.queueMs = 150

    for (const [task, successor] of [
      [one, 'three'],
      [other, 'four'],
    ] as const) {
      await lab.start(successor)
      await live(lab, 30)
      await lab.tell()
      await lab.time.advance(50)
      await stopped(lab, task)
    }
    await untilKnown(lab)

    expect(await recorded(lab)).toEqual([])
    expect(await lab.unrecorded()).toEqual([])
  })

  test('an orderly stop of the only task leaves a gap until its successor is connected, and loses no event that it had read', async () => {
    const lab = await taskLab()
    const one = await lab.start('one')
    lab.queueMs = 150
    await live(lab, 10)
    await lab.tell()
    await lab.time.advance(50)

    await stopped(lab, one)
    await lab.start('next')
    await untilKnown(lab)

    expect(await recorded(lab)).toEqual(['one connector-stopped'])
    expect(await lab.unrecorded()).toEqual([])
  })
})

test('a task whose queue is away reports its progress every five seconds for as long as its stop takes', async () => {
  const { lab, one, other } = await twoTasks()
  lab.isQueueAway = true
  await live(lab, 10, 1_000)
  const stopsAt = lab.time.clock.now()
  const stopping = one.stop(110_000)
  const ages: number[] = []
  for (let passed = 0; passed < 100; passed += 1) {
    await live(lab, 1, 1_000)
    ages.push(lab.time.clock.now() - ((await lab.report('one'))?.reportedAt ?? 0))
  }
  lab.isQueueAway = false
  await live(lab, 20, 1_000)

  expect(await stopping).toBe(0)
  expect(Math.max(...ages)).toBeLessThanOrEqual(6_000)
  expect(await lab.report('one')).toMatchObject({ stoppedAt: stopsAt, spool: { left: 0 } })
  expect((await lab.report('one'))?.handedOverTo).toBeGreaterThan(stopsAt + 90_000)
  await other.stop()
  expect(await lab.unrecorded()).toEqual([])
})

test('a task that is killed in the middle of its stop leaves a gap of what it had not handed over when the stop began', async () => {
  const lab = await taskLab()
  const one = await lab.start('one')
  await live(lab, 10)
  const from = lab.time.clock.now()
  lab.isQueueAway = true
  await live(lab, 30)
  const to = lab.time.clock.now()

  void one.stop()
  await live(lab, 8)
  one.kill()
  lab.isQueueAway = false
  await lab.start('next')
  await untilKnown(lab)

  expect(await recorded(lab)).toEqual(['one connector-stopped', 'one spool-lost'])
  expect((await lab.gaps()).find(({ reason }) => reason === 'spool-lost')).toMatchObject({ from: from - 200, to })
  expect((await lab.report('one'))?.spool).not.toHaveProperty('left')
  expect(await lab.unrecorded()).toEqual([])
})

test('the report from the beginning of a stop counts if the last report cannot be stored', async () => {
  const lab = await taskLab()
  const one = await lab.start('one')
  lab.isQueueAway = true
  await live(lab, 30)

  const stopping = stopped(lab, one)
  await lab.time.advance(2_000)
  lab.isStatusAway = true
  lab.isQueueAway = false
  await stopping
  lab.isStatusAway = false
  await lab.start('next')
  await untilKnown(lab)

  expect(await recorded(lab)).toEqual(['one connector-stopped', 'one spool-lost'])
  expect(one.log.lines.map(({ message }) => message)).toContain('that the connector stops could not be stored')
})

test('a task that ends while its engine link is down leaves a gap from the loss of the link on', async () => {
  for (const end of ['stop', 'kill'] as const) {
    const { lab, one, other } = await twoTasks()
    const lostAt = lab.time.clock.now()
    await one.linkDown()
    await other.linkDown()
    await live(lab, 12)

    for (const task of [one, other]) void task[end]()
    await live(lab, 27)
    const heardAt = lab.time.clock.now()
    await lab.start('three')
    await live(lab, 60)

    expect(await lab.gaps()).toMatchObject(
      [0, 1].map(() => ({
        from: lostAt - 200,
        to: heardAt,
        reason: end === 'stop' ? 'connector-stopped' : 'connector-killed',
      })),
    )
    expect(await lab.unrecorded()).toEqual([])
  }
})

test('a stop ends at most 5 s after its grace period, even if none of its writes is answered', async () => {
  const lab = await taskLab()
  const one = await lab.start('one')
  lab.isQueueAway = true
  await live(lab, 10)
  lab.statusMs = 600_000
  const stopsAt = lab.time.clock.now()

  let endedAt = 0
  void one.stop(20_000).then(() => (endedAt = lab.time.clock.now()))
  await live(lab, 60)

  expect(endedAt - stopsAt).toBeGreaterThan(20_000)
  expect(endedAt - stopsAt).toBeLessThanOrEqual(25_000)
})

test('events that a task had only in memory when its stop began are a gap if it is killed then, although its disk is taken over', async () => {
  const lab = await taskLab()
  const one = await lab.start('one')
  await live(lab, 10)
  one.kill()
  const two = await lab.start('two', lab.diskOf('one'))
  lab.queueMs = 5_000
  await live(lab, 3)

  const stoppedAt = lab.time.clock.now()
  void two.stop()
  await lab.time.advance(100)
  two.kill()
  lab.queueMs = 0
  await lab.start('three', lab.diskOf('one'))
  await untilKnown(lab)

  const lost = (await lab.gaps()).filter(({ reason }) => reason === 'connector-stopped')
  expect(lost).toMatchObject([{ connectorId: 'two' }])
  expect(lost[0]?.from).toBeLessThan(stoppedAt)
  expect(lost[0]?.from).toBeGreaterThanOrEqual(stoppedAt - 500)
  expect(await lab.unrecorded()).toEqual([])
})
