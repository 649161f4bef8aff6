import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type EventLab, type LabWorld, labWorld, ofCall } from '../../support/event-lab.ts'

/** What happens next: a step of a call's life, a link that is lost or made, an engine that starts anew, time. */
type Step =
  | { readonly kind: 'begin' }
  | { readonly kind: 'go on'; readonly call: number }
  | { readonly kind: 'down'; readonly connector: 0 | 1 }
  | { readonly kind: 'up'; readonly connector: 0 | 1 }
  | { readonly kind: 'restart' }
  | { readonly kind: 'wait'; readonly ms: number }

const connector = fc.constantFrom<0 | 1>(0, 1)
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant<'begin'>('begin') }) },
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
  /** How many of {@link life} the engine has told. */
  told: number
  isOver: boolean
  /** Events of it that at least one connector heard. */
  readonly heard: Set<string>
}

/** An engine that two connectors listen to, each over a link of its own. */
class PlayedEngine {
  readonly calls: Call[] = []
  core: string = randomUUID()
  readonly isUp = [true, true]
  #sequence = 0
  readonly #world: LabWorld
  readonly #labs: readonly EventLab[]

  constructor(world: LabWorld, labs: readonly EventLab[]) {
    this.#world = world
    this.#labs = labs
  }

  async do(step: Step): Promise<void> {
    if (step.kind === 'wait') return this.#world.time.advance(step.ms)
    if (step.kind === 'down' || step.kind === 'up') return this.#link(step.connector, step.kind === 'up')
    if (step.kind === 'restart') return this.#restart()
    if (step.kind === 'begin') {
      const createdAt = this.#world.time.clock.now()
      this.calls.push({ uuid: randomUUID(), createdAt, told: 0, isOver: false, heard: new Set() })
      return this.#tell(this.calls.length - 1)
    }
    return this.#tell(step.call)
  }

  async #link(index: 0 | 1, wanted: boolean): Promise<void> {
    if (this.isUp[index] === wanted) return
    this.isUp[index] = wanted
    if (wanted) await this.#labs[index]?.up(this.core)
    else await this.#labs[index]?.down()
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
    const name = life[call?.told ?? 0]
    if (call === undefined || call.isOver || name === undefined) return
    call.told += 1
    this.#sequence += 1
    call.isOver = name === 'CHANNEL_DESTROY'
    this.#list()
    const now = this.#world.time.clock.now()
    const answered = call.told > 1 ? `${now}000` : '0'
    const headers = {
      ...ofCall(call.createdAt),
      'Event-Date-Timestamp': `${now}000`,
      'Caller-Channel-Answered-Time': answered,
      'Channel-Call-State': call.told > 2 ? 'HANGUP' : 'ACTIVE',
    }
    const event = { name, uuid: call.uuid, sequence: this.#sequence, headers }
    for (const [at, lab] of this.#labs.entries()) {
      if (this.isUp[at] === true) call.heard.add(name)
      await lab.emit(event)
    }
  }

  #list(): void {
    const rows = this.calls
      .filter(({ isOver }) => !isOver)
      .map(({ uuid, told, createdAt }) => ({
        uuid,
        createdAt: Math.floor(createdAt / 1_000),
        callstate: ['DOWN', 'RINGING', 'ACTIVE', 'HANGUP'][told] ?? 'HANGUP',
      }))
    for (const lab of this.#labs) lab.rows = rows
  }
}

test('F13 whatever links two connectors lose, and whenever: of each call each end is told once, and none of a live one', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const world = await labWorld()
      const labs = [await world.connector('connector-1'), await world.connector('connector-2')]
      const engine = new PlayedEngine(world, labs)
      for (const lab of labs) await lab.up(engine.core)

      for (const step of sequence) await engine.do(step)
      for (const index of [0, 1] as const) await engine.do({ kind: 'up', connector: index })
      await world.time.advance(60_000)

      for (const { uuid, isOver, heard } of engine.calls) {
        const told = world.told(uuid).map((name) => name.replace(' made', ''))
        expect(new Set(told).size, `${told.join()} of one call`).toBe(told.length)
        expect(told).toEqual(expect.arrayContaining([...heard]))
        const hasBegun = told.includes('CHANNEL_CREATE')
        if (isOver && hasBegun) expect(told).toEqual(expect.arrayContaining(life.slice(2)))
        if (!isOver) expect(told).not.toContain('CHANNEL_DESTROY')
        if (!isOver) expect(hasBegun, 'a live call has begun').toBe(true)
      }
      expect(new Set(world.published.map(({ id }) => id)).size).toBe(world.published.length)
    }),
    { seed: 20_261_121, numRuns: 200 },
  )
}, 120_000)
