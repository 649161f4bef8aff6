import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { breadth } from '../../support/breadth.ts'
import { type Disk, type Task, type TaskHarness, taskHarness } from '../../support/connector/task-harness.ts'

/** An event in the life of the service; `task` is one of those that run. */
type Step =
  | { readonly kind: 'live'; readonly seconds: number }
  | {
      readonly kind:
        | 'queue away'
        | 'queue back'
        | 'status away'
        | 'status back'
        | 'gaps away'
        | 'gaps back'
        | 'start'
        | 'start again'
    }
  | { readonly kind: 'stop' | 'kill' | 'link down' | 'link up' | 'cut off' | 'let in'; readonly task: number }

const task = fc.nat(3)
const ofTask = (kind: 'stop' | 'kill' | 'link down' | 'link up' | 'cut off' | 'let in', weight: number) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), task }),
})
const ofAll = (
  kind:
    | 'queue away'
    | 'queue back'
    | 'status away'
    | 'status back'
    | 'gaps away'
    | 'gaps back'
    | 'start'
    | 'start again',
  weight: number,
) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind) }),
})
const steps = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: fc.constant<'live'>('live'), seconds: fc.constantFrom(1, 3, 10, 40) }) },
    ofAll('queue away', 3),
    ofAll('queue back', 3),
    ofAll('status away', 1),
    ofAll('status back', 1),
    ofAll('gaps away', 1),
    ofAll('gaps back', 1),
    ofAll('start', 5),
    ofAll('start again', 2),
    ofTask('stop', 5),
    ofTask('kill', 3),
    ofTask('link down', 2),
    ofTask('link up', 3),
    ofTask('cut off', 2),
    ofTask('let in', 2),
  ),
  { minLength: 5, maxLength: 30 },
)

/** Tasks by what has happened to them. */
class Service {
  readonly #harness: TaskHarness
  readonly #running: Task[] = []
  /** Disks of tasks that ended, which a process may be started on again. */
  readonly #left: Disk[] = []
  #started = 0

  constructor(harness: TaskHarness) {
    this.#harness = harness
  }

  async do(step: Step): Promise<void> {
    if ('task' in step) return this.#doTo(step)
    if (step.kind === 'live') return this.live(step.seconds)
    if (step.kind === 'start') return this.start()
    if (step.kind === 'start again') return this.start(this.#left.pop())
    if (step.kind === 'queue away' || step.kind === 'queue back') this.#harness.isQueueAway = step.kind === 'queue away'
    else if (step.kind === 'gaps away' || step.kind === 'gaps back')
      this.#harness.areGapsAway = step.kind === 'gaps away'
    else this.#harness.isStatusAway = step.kind === 'status away'
  }

  async #doTo(step: Extract<Step, { readonly task: number }>): Promise<void> {
    const index = step.task % Math.max(1, this.#running.length)
    const task = this.#running[index]
    if (task === undefined) return
    if (step.kind === 'link down') return task.linkDown()
    if (step.kind === 'link up') return task.linkUp()
    if (step.kind === 'cut off' || step.kind === 'let in') task.isCutOff = step.kind === 'cut off'
    else {
      this.#running.splice(index, 1)
      const leave = () => void this.#left.push(this.#harness.diskOf(task.id))
      if (step.kind === 'stop') void task.stop().then(leave)
      else {
        task.kill()
        leave()
      }
    }
  }

  /** At most four run at a time. */
  async start(disk?: Disk): Promise<void> {
    if (this.#running.length >= 4) return
    this.#started += 1
    this.#running.push(await this.#harness.start(`task-${this.#started}`, disk))
  }

  /** An event at each beginning of a step of so many seconds. */
  async live(seconds: number, stepSeconds = 1): Promise<void> {
    for (let count = 0; count < seconds; count += stepSeconds) {
      await this.#harness.tell()
      await this.#harness.time.advance(stepSeconds * 1_000)
    }
  }

  /** Everything is as it should be, for as long as it takes until all is known. */
  async recover(): Promise<void> {
    this.#harness.isStatusAway = false
    this.#harness.areGapsAway = false
    this.#harness.isQueueAway = false
    await this.start()
    for (const task of this.#running) {
      task.isCutOff = false
      await task.linkUp()
    }
    await this.live(240, 5)
  }
}

test('every event of the engine is queued or falls into a recorded gap, whatever happens to tasks, queue and links', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom(7, 2_500), async (sequence, transitMs) => {
      const harness = Object.assign(await taskHarness(), { transitMs })
      const service = new Service(harness)
      await service.start()
      await service.start()
      await service.live(10)

      for (const step of sequence) await service.do(step)
      await service.recover()

      expect(await harness.unrecorded()).toEqual([])
    }),
    { seed: 20_261_122, numRuns: breadth(3, 15) },
  )
}, 120_000)
