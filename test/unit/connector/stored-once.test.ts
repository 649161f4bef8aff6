import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { KnownCallStore } from '../../../core/channels/known-call-store.ts'
import { breadth } from '../../support/breadth.ts'
import { callsOf } from '../../support/connector/calls-of.ts'
import {
  type Pipeline,
  type PipelineHarness,
  harnessDomain,
  harnessEngine,
  pipelineHarness,
  ofCall,
} from '../../support/connector/pipeline-harness.ts'
import { pause } from '../../../core/concurrency/timers.ts'
import { whileAlive } from '../../support/processes/killed-process.ts'
import { aPresence } from '../../support/records/records.ts'

/** Where a connector is killed: now, or at its next write of a call, which then has been done or not. */
const killPoints = ['now', 'before put', 'after put', 'before remove', 'after remove'] as const

type KillPoint = (typeof killPoints)[number]

type Side = 0 | 1

/** An event of the model: a step of a call's life, a link that is lost or made, a connector that is killed, time. */
type Step =
  | { readonly kind: 'begin' }
  | { readonly kind: 'go on'; readonly call: number }
  | { readonly kind: 'down' | 'up'; readonly side: Side }
  | { readonly kind: 'kill'; readonly side: Side; readonly at: KillPoint }
  | { readonly kind: 'restart' }
  | { readonly kind: 'slow'; readonly ms: number }
  | { readonly kind: 'wait'; readonly ms: number }

const side = fc.constantFrom<Side>(0, 1)
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant<'begin'>('begin') }) },
    { weight: 12, arbitrary: fc.record({ kind: fc.constant<'go on'>('go on'), call: fc.nat(2) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom<'down' | 'up'>('down', 'up'), side }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant<'kill'>('kill'),
        side,
        at: fc.constantFrom(...killPoints, 'before remove', 'after remove'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant<'restart'>('restart') }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant<'slow'>('slow'), ms: fc.nat(4_000) }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant<'wait'>('wait'), ms: fc.nat(9_000) }) },
  ),
  { minLength: 10, maxLength: 60, size: 'max' },
)

const life = ['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY'] as const
const logins = ['1000', '1001', '1002']

interface Call {
  readonly uuid: string
  readonly login: string
  readonly createdAt: number
  sent: number
  isOver: boolean
}

const isTalking = ({ sent }: Call) => sent < 3

/** How often each of the kill points was met, over all runs. */
const kills = new Map<KillPoint, number>()
const tally = { runs: 0, steps: 0, calls: 0 }

/** A connector, and how it dies. */
interface Process {
  readonly pipeline: Pipeline
  isAlive: boolean
  killAt: KillPoint | undefined
}

/**
 * One engine and two connectors, each of which is started again after it was killed, with the stores alone to know
 * from.
 */
class Model {
  readonly calls: Call[] = []
  readonly #harness: PipelineHarness
  readonly #processes: Process[] = []
  readonly #isUp = [true, true]
  #core: string = randomUUID()
  #sequence = 0
  #started = 0
  #writeMs = 0

  constructor(harness: PipelineHarness) {
    this.#harness = harness
  }

  get live(): readonly Call[] {
    return this.calls.filter(({ isOver }) => !isOver)
  }

  async start(at: Side): Promise<void> {
    this.#started += 1
    const process: { -readonly [name in keyof Process]?: Process[name] } = { isAlive: true }
    const through = <T>(work: () => Promise<T>): Promise<T> =>
      process.isAlive === true ? work() : new Promise<never>(() => {})
    const ports = whileAlive(this.#harness.ports, through)
    const shared = this.#harness.ports.knownCalls
    const write = (name: 'put' | 'remove', work: () => Promise<void>) =>
      through(async () => {
        if (process.killAt === `before ${name}`) return this.#die(process, process.killAt)
        if (this.#writeMs > 0) await pause(this.#harness.time.timers, this.#writeMs)
        await work()
        if (process.killAt === `after ${name}`) return this.#die(process, process.killAt)
      })
    const knownCalls: KnownCallStore = {
      ...ports.knownCalls,
      put: (call) => write('put', () => shared.put(call)),
      remove: (legs) => (legs.length === 0 ? Promise.resolve() : write('remove', () => shared.remove(legs))),
    }
    const given = { ports: { ...ports, knownCalls }, random: () => 0.5 }
    const pipeline = await this.#harness.connector(`connector-${this.#started}`, given)
    const expires = Math.floor(this.#harness.time.clock.now() / 1_000) + 86_400
    pipeline.registrations = logins.map((user) => ({ user, expires }))
    this.#processes[at] = Object.assign(process, { pipeline, isAlive: true, killAt: undefined })
    this.#list()
    if (this.#isUp[at] === true) await pipeline.up(this.#core)
  }

  async do(step: Step): Promise<void> {
    // An engine destroys a channel within moments of its hang-up.
    if (step.kind === 'wait') for (const call of this.live) if (!isTalking(call)) await this.#goOn(call)
    if (step.kind === 'wait') await this.#harness.time.advance(step.ms)
    else if (step.kind === 'slow') this.#writeMs = step.ms
    else if (step.kind === 'down' || step.kind === 'up') await this.#link(step.side, step.kind === 'up')
    else if (step.kind === 'kill') await this.#kill(step.side, step.at)
    else if (step.kind === 'restart') await this.#restart()
    else if (step.kind === 'go on') await this.#goOn(this.calls.at(-1 - step.call))
    else {
      const login = logins[this.calls.length % logins.length] ?? ''
      const createdAt = this.#harness.time.clock.now()
      const call = { uuid: randomUUID(), login, createdAt, sent: 0, isOver: false }
      this.calls.push(call)
      await this.#goOn(call)
    }
    for (const at of [0, 1] as const) if (this.#processes[at]?.isAlive === false) await this.start(at)
  }

  /** Nobody is killed any more, and what dead connectors left is looked for by those that outlive them. */
  async settle(): Promise<void> {
    this.#writeMs = 0
    for (const at of [0, 1] as const) {
      const process = this.#processes[at]
      if (process !== undefined) process.killAt = undefined
      await this.#link(at, true)
    }
    await this.do({ kind: 'wait', ms: 60_000 })
    for (const { pipeline } of this.#processes) pipeline.side.othersGone()
    await this.#harness.time.advance(60_000)
  }

  /** Each live call says its account. */
  async hold(): Promise<void> {
    for (const call of this.live.filter(isTalking)) await this.#tell(call, 'CHANNEL_HOLD', 'HELD')
    await this.#harness.time.advance(5_000)
  }

  async endAll(): Promise<void> {
    for (const call of this.live) while (!call.isOver) await this.#goOn(call)
    await this.#harness.time.advance(20_000)
  }

  #die(process: Partial<Process>, point: KillPoint): Promise<never> {
    kills.set(point, (kills.get(point) ?? 0) + 1)
    Object.assign(process, { isAlive: false, killAt: undefined })
    return new Promise<never>(() => {})
  }

  async #kill(at: Side, point: KillPoint): Promise<void> {
    const process = this.#processes[at]
    if (process === undefined) return
    if (point === 'now') void this.#die(process, point)
    else process.killAt ??= point
  }

  async #link(at: Side, wanted: boolean): Promise<void> {
    if (this.#isUp[at] === wanted) return
    this.#isUp[at] = wanted
    if (wanted) await this.#processes[at]?.pipeline.up(this.#core)
    else await this.#processes[at]?.pipeline.down()
  }

  async #restart(): Promise<void> {
    const were = [...this.#isUp]
    for (const at of [0, 1] as const) await this.#link(at, false)
    this.#core = randomUUID()
    this.#sequence = 0
    for (const call of this.calls) call.isOver = true
    this.#list()
    for (const at of [0, 1] as const) if (were[at] === true) await this.#link(at, true)
  }

  async #goOn(call: Call | undefined): Promise<void> {
    const name = life[call?.sent ?? 0]
    if (call === undefined || call.isOver || name === undefined) return
    call.sent += 1
    call.isOver = name === 'CHANNEL_DESTROY'
    this.#list()
    await this.#tell(call, name, call.sent > 2 ? 'HANGUP' : 'ACTIVE')
  }

  async #tell({ uuid, login, createdAt }: Call, name: string, callState: string): Promise<void> {
    this.#sequence += 1
    const headers = {
      ...ofCall(createdAt, { 'Channel-Presence-ID': `${login}@${harnessDomain}` }),
      'Event-Date-Timestamp': `${this.#harness.time.clock.now()}${String(this.#sequence % 1_000).padStart(3, '0')}`,
      'Channel-Call-State': callState,
    }
    for (const { pipeline } of this.#processes) await pipeline.emit({ name, uuid, sequence: this.#sequence, headers })
  }

  #list(): void {
    const rows = this.live.map(({ uuid, createdAt, sent }) => ({
      uuid,
      createdAt: Math.floor(createdAt / 1_000),
      callstate: sent < 3 ? 'ACTIVE' : 'HANGUP',
    }))
    for (const { pipeline } of this.#processes) pipeline.rows = rows
  }
}

/** The newest state of each account that was published; a phone that is idle at first has none. */
function publishedStates({ published }: PipelineHarness): Record<string, string> {
  const states = published.filter(({ name }) => name.endsWith('account_status'))
  const newest = states.map(({ fields }) => [fields['Account-User'] ?? '', fields['Account-User-State'] ?? ''])
  return { ...Object.fromEntries(logins.map((login) => [login, 'ONHOOK'])), ...Object.fromEntries(newest) }
}

/** Checks that the store has each live call and nothing else, and that accounts are busy with these. */
async function check(harness: PipelineHarness, model: Model): Promise<void> {
  const stored = await harness.ports.knownCalls.list(harnessEngine)
  expect(stored.map(({ uuid }) => uuid).toSorted()).toEqual(model.live.map(({ uuid }) => uuid).toSorted())
  for (const login of logins) {
    const talks = model.live.filter((call) => call.login === login && isTalking(call)).map(({ uuid }) => uuid)
    expect(await callsOf(harness.ports, harnessDomain, login)).toEqual(talks.toSorted())
  }
}

/** Each connector by itself reports that accounts become busy and free, whatever it has missed before. */
async function reportsAlone(harness: PipelineHarness, model: Model, alone: Side): Promise<void> {
  const statesAre = (state: string) => logins.map((login) => [login, state])
  await model.do({ kind: 'down', side: alone === 0 ? 1 : 0 })
  for (const _login of logins) await model.do({ kind: 'begin' })
  expect(Object.entries(publishedStates(harness))).toEqual(statesAre('ISBUSY'))
  await model.endAll()
  expect(Object.entries(publishedStates(harness))).toEqual(statesAre('ONHOOK'))
  await model.settle()
}

test('the store has each live call once and no other, whichever of two connectors is killed at which write, and whichever links are lost', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const harness = await pipelineHarness()
      const contacts = [{ id: 'sip:phone@192.0.2.9', expiresAt: harness.time.clock.now() + 86_400_000 }]
      for (const login of logins)
        await harness.ports.presence.put(aPresence({ domain: harnessDomain, login, contacts }))
      const model = new Model(harness)
      for (const at of [0, 1] as const) await model.start(at)

      for (const step of sequence) await model.do(step)
      await model.settle()
      await model.hold()

      await check(harness, model)
      for (const { uuid } of model.calls) {
        const names = harness
          .eventsOf(uuid)
          .map((name) => name.replace(' made', ''))
          .filter((name) => life.some((one) => one === name))
        expect(new Set(names).size, `${names.join()} of one call`).toBe(names.length)
      }
      await model.endAll()
      await check(harness, model)
      for (const alone of [0, 1] as const) await reportsAlone(harness, model, alone)
      tally.runs += 1
      tally.steps += sequence.length
      tally.calls += model.calls.length
    }),
    { seed: 20_261_127, numRuns: breadth(50, 800) },
  )
  expect(killPoints.filter((point) => (kills.get(point) ?? 0) < breadth(1, 40))).toEqual([])
  expect(tally.steps).toBeGreaterThan(breadth(1_200, 20_000))
}, 300_000)
