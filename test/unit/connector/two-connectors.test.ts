import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { breadth } from '../../support/breadth.ts'
import { type CapturedLog, capturedLog } from '../../support/processes/captured-log.ts'
import { memoryLimit } from '../../support/invariants/connector-invariants.ts'
import {
  type Pipeline,
  type PipelineHarness,
  pipelineHarness,
  ofCall,
} from '../../support/connector/pipeline-harness.ts'
import { checkAllInvariants } from '../../support/invariants/invariants.ts'
import { aDomain, aHook } from '../../support/records/records.ts'
import { planted } from '../../support/invariants/secret-forms.ts'

/** A tenant whose calls are over at once. */
const other = 'b.example.com'

/** An event of the model: a step of a call's life, a link that is lost or made, an engine that starts anew, time. */
type Step =
  | { readonly kind: 'begin' }
  | { readonly kind: 'call of another' }
  | { readonly kind: 'go on'; readonly call: number }
  | { readonly kind: 'down'; readonly connector: 0 | 1 }
  | { readonly kind: 'up'; readonly connector: 0 | 1 }
  | { readonly kind: 'restart' }
  | { readonly kind: 'wait'; readonly ms: number }

const connector = fc.constantFrom<0 | 1>(0, 1)
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant<'begin'>('begin') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant<'call of another'>('call of another') }) },
    { weight: 8, arbitrary: fc.record({ kind: fc.constant<'go on'>('go on'), call: fc.nat(5) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant<'down'>('down'), connector }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant<'up'>('up'), connector }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant<'restart'>('restart') }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant<'wait'>('wait'), ms: fc.nat(9_000) }) },
  ),
  { minLength: 5, maxLength: 40 },
)

const life = ['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY'] as const

interface Call {
  readonly uuid: string
  readonly createdAt: number
  /** The number of steps of {@link life} that the engine has sent. */
  sent: number
  isOver: boolean
  /** Events of it that at least one connector heard. */
  readonly heard: Set<string>
}

/** An engine that two connectors listen to, each over a link of its own. */
class PlayedEngine {
  readonly calls: Call[] = []
  /** Every event that the engine sent, under the id that every connector gives it. */
  readonly events: { readonly id: string; readonly uuid: string; readonly name: string; readonly at: number }[] = []
  /** Those of the other tenant that somebody heard. */
  readonly heardOfOther: string[] = []
  core: string = randomUUID()
  readonly isUp = [true, true]
  #sequence = 0
  readonly #harness: PipelineHarness
  readonly #pipelines: readonly Pipeline[]

  constructor(harness: PipelineHarness, pipelines: readonly Pipeline[]) {
    this.#harness = harness
    this.#pipelines = pipelines
  }

  async do(step: Step): Promise<void> {
    if (step.kind === 'wait') return this.#harness.time.advance(step.ms)
    if (step.kind === 'down' || step.kind === 'up') return this.#link(step.connector, step.kind === 'up')
    if (step.kind === 'restart') return this.#restart()
    if (step.kind === 'begin') {
      const createdAt = this.#harness.time.clock.now()
      this.calls.push({ uuid: randomUUID(), createdAt, sent: 0, isOver: false, heard: new Set() })
      return this.#tell(this.calls.length - 1)
    }
    if (step.kind === 'call of another') return this.#tellOther()
    return this.#tell(step.call)
  }

  async #tellOther(): Promise<void> {
    const [uuid, now] = [randomUUID(), this.#harness.time.clock.now()]
    const headers = ofCall(now, { 'Caller-Context': other, 'Channel-Presence-ID': `1000@${other}` })
    for (const name of life) {
      this.#sequence += 1
      const id = this.#note(uuid, name)
      if (this.isUp.includes(true)) this.heardOfOther.push(id)
      for (const pipeline of this.#pipelines) await pipeline.emit({ name, uuid, sequence: this.#sequence, headers })
    }
  }

  #note(uuid: string, name: string): string {
    const id = `${this.core}:${uuid}:${name}`
    this.events.push({ id, uuid, name, at: this.#harness.time.clock.now() })
    return id
  }

  async #link(index: 0 | 1, wanted: boolean): Promise<void> {
    if (this.isUp[index] === wanted) return
    this.isUp[index] = wanted
    if (wanted) await this.#pipelines[index]?.up(this.core)
    else await this.#pipelines[index]?.down()
  }

  async #restart(): Promise<void> {
    const were = [...this.isUp]
    for (const index of [0, 1] as const) await this.#link(index, false)
    this.core = randomUUID()
    this.#sequence = 0
    for (const call of this.calls) call.isOver = true
    this.#list()
    for (const index of [0, 1] as const) if (were[index] === true) await this.#link(index, true)
  }

  async #tell(index: number): Promise<void> {
    const call = this.calls[index]
    const name = life[call?.sent ?? 0]
    if (call === undefined || call.isOver || name === undefined) return
    call.sent += 1
    this.#sequence += 1
    call.isOver = name === 'CHANNEL_DESTROY'
    this.#list()
    const now = this.#harness.time.clock.now()
    const answered = call.sent > 1 ? `${now}000` : '0'
    const headers = {
      ...ofCall(call.createdAt),
      'Event-Date-Timestamp': `${now}000`,
      'Caller-Channel-Answered-Time': answered,
      'Channel-Call-State': call.sent > 2 ? 'HANGUP' : 'ACTIVE',
    }
    this.#note(call.uuid, name)
    const event = { name, uuid: call.uuid, sequence: this.#sequence, headers }
    for (const [at, pipeline] of this.#pipelines.entries()) {
      if (this.isUp[at] === true) call.heard.add(name)
      await pipeline.emit(event)
    }
  }

  #list(): void {
    const rows = this.calls
      .filter(({ isOver }) => !isOver)
      .map(({ uuid, sent, createdAt }) => ({
        uuid,
        createdAt: Math.floor(createdAt / 1_000),
        callstate: ['DOWN', 'RINGING', 'ACTIVE', 'HANGUP'][sent] ?? 'HANGUP',
      }))
    for (const pipeline of this.#pipelines) pipeline.rows = rows
  }
}

/** Another tenant with hooks on everything, which carry a secret. */
async function joinedBy({ ports }: PipelineHarness) {
  await ports.domains.create(aDomain({ name: other }))
  const hooks = life.map((event) => aHook({ event, domain: other, headers: { 'x-key': planted('key of a hook') } }))
  await ports.hooks.create(hooks, hooks.length)
  return hooks
}

/** Waits until both hold nothing back any more; answers how long that took. */
async function untilBack({ time }: PipelineHarness, pipelines: readonly Pipeline[]): Promise<number> {
  const from = time.clock.now()
  const isBack = ({ side }: Pipeline) => side.lagMs < 1_000 && side.counters()['eventsHeld'] === 0
  while (!pipelines.every(isBack) && time.clock.now() - from <= 60_000) await time.advance(250)
  return time.clock.now() - from
}

/** Checks every invariant over the events of the engine and the published ones. */
async function check(given: {
  readonly harness: PipelineHarness
  readonly pipelines: readonly Pipeline[]
  readonly engine: PlayedEngine
  readonly hooks: Awaited<ReturnType<typeof joinedBy>>
  readonly log: CapturedLog
  readonly backAfterMs: number
}): Promise<void> {
  const { harness, pipelines, engine, hooks, log, backAfterMs } = given
  const { ports, published } = harness
  const gaps = await ports.gaps.list(0)
  const wanted = engine.events.map(({ id, uuid, name, at }) => ({
    id,
    publishedAs: published.filter((event) => event.uuid === uuid && event.name === name).map((event) => event.id),
    at,
  }))
  const isInGap = (at: number) => gaps.some(({ from, to }) => from <= at && at <= to)
  const counters = pipelines.map(({ side }) => side.counters())
  checkAllInvariants({
    acknowledged: await Promise.all(
      hooks.map(async ({ id }) => ({
        what: `hook ${id}`,
        isFound: (await ports.hooks.read(other, id)) !== undefined,
      })),
    ),
    events: {
      wanted,
      recordedAsLost: wanted.filter(({ publishedAs, at }) => publishedAs.length === 0 && isInGap(at)).length,
    },
    commands: {
      notHere: 'no command is sent: only the event pipelines run, and that they send none is counted below',
    },
    others: {
      before: engine.heardOfOther.toSorted(),
      after: published
        .filter(({ domain, uuid }) => domain === other && uuid !== '')
        .map(({ id }) => id)
        .toSorted(),
    },
    secrets: {
      values: [planted('key of a hook')],
      seen: [...published, ...gaps, ...log.lines, ...counters, ...pipelines.map(({ side }) => side.links())],
    },
    bounds: [
      { of: 'orders', value: pipelines.reduce((sum, { commands }) => sum + commands.jobs.length, 0), limit: 0 },
      ...counters.flatMap((of) => [
        { of: 'bytes of events', value: of['memoryBytes'] ?? Number.NaN, limit: memoryLimit },
        { of: 'gaps that wait', value: of['gapsWaiting'] ?? Number.NaN, limit: 1_000 },
      ]),
      {
        of: 'channels that are known',
        value: Math.max(...pipelines.map(({ registry }) => registry.size)),
        limit: engine.calls.filter(({ isOver }) => !isOver).length,
      },
    ],
    sums: counters.map((of) => ({
      of: 'dropped events',
      parts: ['Terminal', 'Call', 'Other'].map((kind) => of[`eventsDropped${kind}`] ?? Number.NaN),
      whole: of['eventsDropped'] ?? Number.NaN,
    })),
    backAfterMs,
  })
}

test('F13 each end of a call is published once, and none of a live call, whichever links two connectors lose and whenever', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const [harness, log] = [await pipelineHarness(), capturedLog()]
      const hooks = await joinedBy(harness)
      const pipelines = [
        await harness.connector('connector-1', { log }),
        await harness.connector('connector-2', { log }),
      ]
      const engine = new PlayedEngine(harness, pipelines)
      for (const pipeline of pipelines) await pipeline.up(engine.core)

      for (const step of sequence) await engine.do(step)
      for (const index of [0, 1] as const) await engine.do({ kind: 'up', connector: index })
      const backAfterMs = await untilBack(harness, pipelines)
      await harness.time.advance(60_000)

      for (const { uuid, isOver, heard } of engine.calls) {
        const names = harness.eventsOf(uuid).map((name) => name.replace(' made', ''))
        expect(new Set(names).size, `${names.join()} of one call`).toBe(names.length)
        expect(names).toEqual(expect.arrayContaining([...heard]))
        const hasBegun = names.includes('CHANNEL_CREATE')
        if (isOver && hasBegun) expect(names).toEqual(expect.arrayContaining(life.slice(2)))
        if (!isOver) expect(names).not.toContain('CHANNEL_DESTROY')
        if (!isOver) expect(hasBegun, 'a live call has begun').toBe(true)
      }
      expect(new Set(harness.published.map(({ id }) => id)).size).toBe(harness.published.length)
      await check({ harness, pipelines, engine, hooks, log, backAfterMs })
    }),
    { seed: 20_261_121, numRuns: breadth(20, 200) },
  )
}, 120_000)
