import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type EslEvent, type EslSession, openEslSession } from '@callplane/esl'
import type { Client } from '../../client/index.ts'
import { connectorEvidence } from '../support/invariants/connector-evidence.ts'
import type { Bound } from '../support/invariants/invariants.ts'
import { type TestPlatform, aPlatform } from '../support/platform/platform.ts'
import { seeded } from '../support/records/seeded.ts'
import {
  type BegunChannel,
  type WatchedTenant,
  aWatchedTenant,
  belongingsOf,
  checkPlatform,
  fateOf,
} from '../support/invariants/platform-invariants.ts'

const domain = 'killed.example.com'
const calls = 60
const callers = 6
const kills = 8

/** A minute after a fault all is as before, by the invariants. */
const patience = { timeout: 60_000, interval: 500 }

let platform: TestPlatform
let tenant: WatchedTenant
let neighbour: WatchedTenant
let admin: Client
/** Processes of the connector so far. */
let processes = 1
let listener: EslSession

/** The work of the engine, by its own events. */
const done = {
  /** How often a job was reported as successful, by its id and its first word. */
  jobs: new Map<string, number>(),
  verbs: new Map<string, number>(),
  /** The channels that were made for a request, by the mark that the request gave them. */
  channels: new Map<string, Set<string>>(),
  /** How often a channel was made, by its uuid. */
  made: new Map<string, number>(),
  begun: new Array<BegunChannel>(),
}

/** When a connector was killed, epoch milliseconds. */
const killedAt: number[] = []

/** Runs at every step of a command, and kills the connector at some of them. */
let tick = () => {}

beforeAll(async () => {
  platform = await aPlatform()
  tenant = await aWatchedTenant(platform, domain)
  neighbour = await aWatchedTenant(platform, `${domain}.au`)
  admin = tenant.client
  await new Promise<void>((resolve) => {
    listener = openEslSession({
      host: '127.0.0.1',
      port: platform.platform.engine?.port ?? 0,
      password: 'ClueCon',
      name: 'test',
      subscribe: ['BACKGROUND_JOB', 'CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE'],
      onEvent: (event) => {
        count(event)
        tick()
      },
      onState: ({ kind }) => {
        if (kind === 'ready') resolve()
      },
    })
  })
})

afterAll(async () => {
  await listener.close()
  await platform.close()
})

function count(event: EslEvent): void {
  const add = (to: Map<string, number>, key: string) => void to.set(key, (to.get(key) ?? 0) + 1)
  const uuid = event.header('Unique-ID') ?? ''
  if (event.name === 'CHANNEL_CREATE') {
    add(done.made, uuid)
    const at = Number(event.header('Event-Date-Timestamp')) / 1_000
    const [, of = ''] = (event.header('Channel-Presence-ID') ?? '').split('@')
    done.begun.push({ uuid, domain: of, coreUuid: event.coreUuid, at })
  }
  const mark = event.header('variable_x_mark')
  if (mark !== undefined) done.channels.set(mark, (done.channels.get(mark) ?? new Set()).add(uuid))
  if (event.name !== 'BACKGROUND_JOB' || !event.body.startsWith('+OK')) return
  add(done.jobs, event.header('Job-UUID') ?? '')
  add(done.verbs, event.header('Job-Command') ?? '')
}

function kill(pid: number): void {
  process.kill(pid, 'SIGKILL')
  killedAt.push(Date.now())
}

/** Kills the connector after numbers of happenings that a seed decides. Answers how often it did. */
function killNowAndThen(seed: number): { readonly killed: number } {
  const random = seeded(seed)
  const nextAfter = () => 3 + Math.floor(random() * 50)
  const state = { killed: 0 }
  let left = nextAfter()
  tick = () => {
    left -= 1
    const { pid } = platform.platform.connector
    if (left > 0 || pid === undefined || state.killed >= kills) return
    kill(pid)
    state.killed += 1
    left = nextAfter()
  }
  return state
}

/** The response to a caller, and what follows from its status. */
interface Answer {
  readonly mark: string
  readonly says: 'done' | 'maybe' | 'not done'
  readonly uuid?: string
}

async function place(mark: string): Promise<Answer> {
  tick()
  try {
    const { info, pending } = await admin.call('originateCall', {
      body: { callerId: '1001', calledId: '9196', variables: { x_mark: mark } },
    })
    return { mark, says: pending === true ? 'maybe' : 'done', uuid: info.replace('+OK ', '').trim() }
  } catch (problem) {
    return { mark, says: conclusionOf(problem) }
  }
}

async function hangUp(mark: string, uuid: string): Promise<Answer> {
  tick()
  try {
    await admin.call('hangUpChannel', { params: { channel_id: uuid } })
    return { mark, says: 'done', uuid }
  } catch (problem) {
    return { mark, says: conclusionOf(problem), uuid }
  }
}

/**
 * Reads what the contract's statuses say of a command: not done, or of unknown fate. Any other is a failure. An engine
 * refuses a call when its directory does not answer in time, as on a busy machine.
 */
function conclusionOf(problem: unknown): Answer['says'] {
  const text = problem instanceof Error ? problem.message : ''
  if (/answered (?:503: engine_unavailable|429: rate_limited|404: not_found|400: engine_refused)/.test(text))
    return 'not done'
  if (/answered 504: (?:outcome_unknown|engine_timeout)/.test(text)) return 'maybe'
  throw problem
}

it('F20 a call whose connector is killed while its phone rings is pending and ends as unknown, and other calls are placed', async () => {
  const log = platform.platform.folder.file('logs/connector.log')
  await neighbour.client.call('originateCall', { body: { callerId: '1001', calledId: '9196' } })
  const before = await belongingsOf(neighbour)
  tick = () => {
    const { pid } = platform.platform.connector
    if (pid === undefined || done.made.size === 1) return
    kill(pid)
    tick = () => {}
  }

  const lost = await place('lost')

  expect(lost.says).toBe('maybe')
  expect(done.channels.get('lost')?.size).toBe(1)
  processes += 1
  const overAt = Date.now()
  await placeAtLast()
  await vi.waitFor(() => expect(readFileSync(log, 'utf8')).toContain('a lost connector left commands open'), patience)
  await check({ before, overAt, placed: [lost], ended: [], bounds: [] })
})

it('F20 a connector that is killed again and again under a stream of calls and hang-ups does nothing twice', async () => {
  const before = await belongingsOf(neighbour)
  const state = killNowAndThen(20_260_115)
  done.verbs.clear()
  const marks = Array.from({ length: calls }, (_, index) => `mark-${index}`)
  const placed: Answer[] = []
  const ended: Answer[] = []
  const work = async () => {
    for (let mark = marks.shift(); mark !== undefined; mark = marks.shift()) {
      const call = await place(mark)
      placed.push(call)
      if (call.says === 'done' && call.uuid !== undefined) ended.push(await hangUp(mark, call.uuid))
    }
  }
  await Promise.all(Array.from({ length: callers }, work))
  tick = () => {}

  expect([placed.length, state.killed]).toEqual([calls, kills])
  expect(ended.filter(({ says }) => says === 'done').length).toBeLessThanOrEqual(done.verbs.get('uuid_kill') ?? 0)
  expect(placed.filter(({ says }) => says === 'done').length).toBeGreaterThan(0)
  processes += state.killed
  const overAt = Date.now()
  const bounds = [
    { of: 'calls placed', value: done.verbs.get('originate') ?? 0, limit: placed.length },
    { of: 'hang-ups done', value: done.verbs.get('uuid_kill') ?? 0, limit: ended.length },
  ]
  await placeAtLast()
  await check({ before, overAt, placed, ended, bounds })
})

/** Waits until every channel was published or is in a gap, and checks every invariant of the platform. */
async function check(given: {
  readonly before: unknown
  readonly overAt: number
  readonly placed: readonly Answer[]
  readonly ended: readonly Answer[]
  readonly bounds: readonly Bound[]
}): Promise<void> {
  const { before, overAt, placed, ended, bounds } = given
  const missing = async () => {
    const fates = await fateOf(tenant, done.begun)
    const ids = fates.flatMap(({ id, publishedAs, isInGap }) => (publishedAs.length === 0 && !isInGap ? id : []))
    return done.begun.filter(({ uuid }) => ids.some((id) => id.includes(uuid)))
  }
  await vi
    .waitFor(async () => expect(await missing()).toEqual([]), patience)
    .catch(async () => expect.fail(await connectorEvidence(platform, { missing: await missing(), killedAt })))
  const backAfterMs = Date.now() - overAt
  const listed = new Set((await admin.call('listChannels')).data.rows.map(({ uuid }) => uuid))
  const hungUp = new Map(ended.map(({ uuid, says }) => [uuid, says]))
  const outcomes = { done: 'done', maybe: 'unknown', 'not done': 'unsent' } as const
  await checkPlatform({
    platform,
    tenant,
    neighbour,
    before,
    begun: done.begun,
    acknowledged: placed
      .filter(({ uuid, says }) => says === 'done' && hungUp.get(uuid) !== 'maybe')
      .map(({ uuid = '' }) => ({
        what: `the call ${uuid}, or its end`,
        isFound: listed.has(uuid) === (hungUp.get(uuid) !== 'done'),
      })),
    commands: placed.map((call) => ({
      id: call.mark,
      effects: done.channels.get(call.mark)?.size ?? 0,
      outcome: outcomeOf(outcomes[call.says]),
    })),
    secrets: ['ClueCon'],
    bounds: [
      ...bounds,
      { of: 'times that one job was done', value: Math.max(0, ...done.jobs.values()), limit: 1 },
      { of: 'times that one channel was made', value: Math.max(...done.made.values()), limit: 1 },
    ],
    processes,
    backAfterMs,
  })
}

/** Places a call as soon as one can be placed again. */
async function placeAtLast(): Promise<void> {
  await vi.waitFor(async () => expect(await place('ready')).toMatchObject({ says: 'done' }), patience)
}

function outcomeOf(state: 'done' | 'unknown' | 'unsent') {
  if (state === 'done') return { state, text: '+OK' } as const
  return state === 'unknown' ? ({ state, reason: 'connector_lost' } as const) : ({ state, reason: 'expired' } as const)
}
