import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import type { CommandOutcome } from '../../../core/commands/commands.ts'
import { aChannelFor, commandKinds } from '../../support/platform/api-commands.ts'
import { checkCommandPath } from '../../support/invariants/command-invariants.ts'
import { anOriginate } from '../../support/connector/command-message.ts'
import type { CommandPath } from '../../support/connector/command-path.ts'
import type { EngineJob } from '../../support/engine/scripted-engine.ts'
import { checkInvariants } from '../../support/invariants/invariants.ts'
import { type WatchedPath, aWatchedPath, other } from '../../support/connector/watched-path.ts'

let close = async () => {}
afterEach(() => close())

const scope = { domain: 'a.example.com', presenceId: null }

async function aPath(): Promise<WatchedPath> {
  const path = await aWatchedPath()
  close = path.close
  return path
}

/** A call of the other tenant is placed as if nothing were wrong. */
async function expectOthersServed(path: WatchedPath): Promise<void> {
  const askedAt = path.time.clock.now()
  expect(await path.finish(path.ask('originate', '', other))).toMatchObject({ status: 200 })
  expect(path.time.clock.now() - askedAt).toBeLessThanOrEqual(1_000)
}

const jobKinds = ['originate', 'eavesdrop', 'hold', 'unhold', 'hangup'] as const
const orderKinds = ['hold', 'unhold', 'hangup'] as const
const ringing = ['originate', 'eavesdrop'] as const

/** The engine swallows the first job that it is given. */
function swallowFirst({ engine }: CommandPath): void {
  const usual = engine.onJob
  engine.onJob = () => void (engine.onJob = usual)
}

/** Lists the calls that the engine placed for a tenant, by the uuids that were chosen for them. */
function chosen({ engine }: CommandPath, tenant: string): string[] {
  return engine.lines
    .filter((line) => line.includes(`domain_name=${tenant}`))
    .map((line) => /origination_uuid=([0-9a-f-]{36})/.exec(line)?.[1] ?? '')
}

describe('F15 a command whose reply never comes', () => {
  test.each(ringing)(
    '%s is pending after 20 s at most, under the uuid that was chosen before it was sent',
    async (kind) => {
      const path = await aPath()
      await path.connect()
      swallowFirst(path)
      const [channel, begun] = [aChannelFor(path, kind), path.time.clock.now()]

      const asking = path.ask(kind, channel)
      await path.until(() => path.engine.lines.length === 1)
      await expectOthersServed(path)
      const answer = await path.finish(asking)
      const waited = path.time.clock.now() - begun
      await path.time.advance(60_000)

      const [uuid, ...more] = chosen(path, 'a.example.com')
      expect(answer).toMatchObject({ status: 200, body: { info: `+OK ${uuid}\n`, pending: true } })
      expect(waited).toBeLessThanOrEqual(20_500)
      expect(path.records()[0]?.outcome).toEqual({ state: 'unknown', reason: 'timeout' })
      expect([more, path.engine.lines.length]).toEqual([[], 2])
      await checkCommandPath(path)
    },
  )

  test.each(orderKinds)('an order %s without an answer is 504 within 20 s and is not repeated', async (kind) => {
    const path = await aPath()
    await path.connect()
    swallowFirst(path)
    const [channel, begun] = [aChannelFor(path, kind), path.time.clock.now()]

    const asking = path.ask(kind, channel)
    await path.until(() => path.engine.lines.length === 1)
    await expectOthersServed(path)
    const answer = await path.finish(asking)
    const waited = path.time.clock.now() - begun
    await path.time.advance(60_000)

    expect(answer).toMatchObject({ status: 504, body: { code: 'engine_timeout' } })
    expect(path.engine.lines.filter((line) => line.startsWith('uuid_'))).toHaveLength(1)
    expect(waited).toBeLessThanOrEqual(20_500)
    await checkCommandPath(path)
  })

  test('a command whose reply never comes but whose end is reported is done, since only the reply was lost', async () => {
    const path = await aPath()
    await path.connect()
    const usual = path.engine.onJob
    path.engine.onJob = (job) => {
      path.engine.onJob = usual
      job.finish(job.run())
    }

    const answer = await path.finish(path.ask('originate', ''))

    const [uuid] = chosen(path, 'a.example.com')
    expect(answer).toMatchObject({ status: 200, body: { info: `+OK ${uuid}\n` } })
    expect(answer).not.toHaveProperty('body.pending')
    await checkCommandPath(path)
  })

  test('a call that was placed although its reply never came can be found and hung up by its uuid', async () => {
    const path = await aPath()
    const { connector } = await path.connect()
    const usual = path.engine.onJob
    path.engine.onJob = (job) => void job.run()
    await path.finish(path.ask('originate', ''))
    const [uuid = ''] = chosen(path, 'a.example.com')
    expect(path.engine.channels.has(uuid)).toBe(true)
    path.engine.onJob = usual
    // A link on which a reply is 30 s overdue is made anew.
    await path.time.advance(31_000)
    await path.until(() => connector.health().status === 'OK')

    expect(await path.finish(path.ask('hangup', uuid))).toMatchObject({ status: 200 })
    expect(path.engine.timesDone(`uuid_kill ${uuid}`)).toBe(1)
    await checkCommandPath(path)
  })
})

describe('F16 a reply that comes late', () => {
  test.each(jobKinds)('a reply after 30 s completes nothing, shifts no other and is counted: %s', async (kind) => {
    const path = await aPath()
    const { connector } = await path.connect()
    const usual = path.engine.onJob
    let late: EngineJob | undefined
    path.engine.onJob = (job) => {
      if (late !== undefined) return usual(job)
      late = job
    }
    const channel = aChannelFor(path, kind)
    await path.finish(path.ask(kind, channel))
    const before = await path.finish(path.ask('originate', ''))
    await path.time.advance(10_000)

    late?.accept()
    late?.finish(late.run())
    const after = await path.finish(path.ask('originate', ''))

    const uuids = chosen(path, 'a.example.com').slice(-2)
    expect([before, after]).toMatchObject(uuids.map((uuid) => ({ status: 200, body: { info: `+OK ${uuid}\n` } })))
    const [first] = path.records()
    expect(first?.outcome).toEqual({ state: 'unknown', reason: 'timeout' })
    expect(connector.health().engines[0]?.commands).toMatchObject({ lateReplies: 1, strayReplies: 0, connections: 1 })
    expect(path.engine.lines).toHaveLength(3)
    expect(path.engine.effectsOf(first?.id ?? '')).toBe(1)
    await checkCommandPath(path)
  })

  test('a late reply is counted as late if no other command was answered meanwhile', async () => {
    const path = await aPath()
    const { connector } = await path.connect()
    let late: EngineJob | undefined
    path.engine.onJob = (job) => void (late = job)
    await path.finish(path.ask('originate', ''))
    await path.time.advance(20_000)

    late?.accept()
    await path.time.advance(1_000)

    expect(connector.health().engines[0]?.commands).toMatchObject({ lateReplies: 1, connections: 1, state: 'ready' })
    await checkCommandPath(path)
  })

  test('a late result of an accepted call that was given up is counted and completes no command', async () => {
    const path = await aPath()
    const { connector } = await path.connect()
    let late: EngineJob | undefined
    path.engine.onJob = (job) => {
      job.accept()
      late = job
    }
    await path.finish(path.ask('hangup'))
    await path.time.advance(10_000)

    late?.finish(late.run())
    await path.time.advance(1_000)

    expect(connector.health().counters['answersLate']).toBe(1)
    const [{ id, outcome } = { id: '', outcome: undefined }] = path.records()
    expect([outcome, path.engine.effectsOf(id)]).toEqual([{ state: 'unknown', reason: 'timeout' }, 1])
    await checkCommandPath(path)
  })
})

describe('F17 a cut between command and reply', () => {
  const cases = jobKinds.flatMap((kind) => [
    { kind, isDone: false, how: 'did not do' },
    { kind, isDone: true, how: 'did' },
  ])

  test.each(cases)(
    'a command ends as unknown, never as failed, and nothing is sent again: $kind that the engine $how',
    async ({ kind, isDone }) => {
      const path = await aPath()
      const { connector } = await path.connect()
      path.engine.onJob = (job) => {
        if (isDone) job.run()
        job.cut()
      }
      const channel = aChannelFor(path, kind)

      const answer = await path.finish(path.ask(kind, channel))
      await path.until(() => connector.health().status === 'OK')
      await path.time.advance(60_000)

      expect(answer).toMatchObject({ status: 504, body: { code: 'outcome_unknown' } })
      expect(path.records().map(({ outcome }) => outcome)).toEqual([{ state: 'unknown', reason: 'disconnected' }])
      expect(path.engine.lines).toHaveLength(1)
      await checkCommandPath(path)
    },
  )

  const repeats = cases.filter(({ kind }) => kind === 'hold' || kind === 'hangup')

  test.each(repeats)('$kind that the engine $how is safe to ask for once more', async ({ kind, isDone }) => {
    const path = await aPath()
    const { connector } = await path.connect()
    const usual = path.engine.onJob
    path.engine.onJob = (job) => {
      if (isDone) job.run()
      job.cut()
    }
    const channel = aChannelFor(path, kind)
    await path.finish(path.ask(kind, channel))
    await path.until(() => connector.health().status === 'OK')
    path.engine.onJob = usual

    const again = await path.finish(path.ask(kind, channel))

    const isGone = kind === 'hangup' && isDone
    expect(again).toMatchObject(isGone ? { status: 404, body: { code: 'not_found' } } : { status: 200 })
    if (kind === 'hold') expect(path.engine.channels.get(channel)?.isHeld).toBe(true)
    else expect([path.engine.channels.has(channel), path.engine.timesDone(`uuid_kill ${channel}`)]).toEqual([false, 1])
    await checkCommandPath(path)
  })

  test('a command whose link breaks while its channel is looked up ends as not sent, since the engine was only asked', async () => {
    const path = await aPath()
    const { door } = await path.connect()
    path.engine.answer = (command) => {
      if (command.startsWith('uuid_dump')) door.cut()
      return undefined
    }
    const channel = aChannelFor(path, 'hold')

    const answer = await path.finish(path.ask('hold', channel))

    expect(answer).toMatchObject({ status: 503, body: { code: 'engine_unavailable' } })
    expect(path.engine.lines).toEqual([])
    await checkCommandPath(path)
  })
})

describe('F19 a command message that is older than its deadline', () => {
  test.each(commandKinds)('an expired command message is dropped, and its caller got 503: $kind', async ({ kind }) => {
    const path = await aPath()
    const channel = aChannelFor(path, kind)

    const answer = await path.finish(path.ask(kind, channel))
    await path.time.advance(5_000)
    await path.connect()
    await path.time.advance(40_000)
    for (const record of path.records()) path.queue.put(JSON.stringify({ version: 1, ...record }))
    await path.time.advance(5_000)

    expect(path.engine.lines).toEqual([])
    expect(path.records().map(({ outcome }) => outcome)).toEqual([{ state: 'unsent', reason: 'expired' }])
    if (!('outcome' in answer)) expect(answer).toMatchObject({ status: 503, body: { code: 'engine_unavailable' } })
    await checkCommandPath(path)
  })

  test('a connector whose clock is five minutes slow does not send a command after its deadline', async () => {
    const path = await aPath()

    const answer = await path.finish(path.ask('originate', ''))
    await path.connect(() => {}, -300_000)
    await path.time.advance(5_000)

    expect([path.queue.taken, path.engine.lines]).toEqual([1, []])
    expect(answer).toMatchObject({ status: 503 })
    await checkCommandPath(path)
  })

  test('a command that an overloaded engine delays is given up within 30 s, and not sent after that', async () => {
    const path = await aPath()
    await path.connect()
    const jobs: EngineJob[] = []
    path.engine.onJob = (job) => void jobs.push(job)
    const begun = path.time.clock.now()
    const run = (domain: string) => path.calls.run(anOriginate(), { domain, presenceId: null }, 20_000, randomUUID())
    // As many as are written before the first of them is accepted, of two tenants: one alone gets no more than 51
    // places.
    const others = Array.from({ length: 32 }, () => [run(scope.domain), run(other)]).flat()
    await path.until(() => jobs.length === 64)

    const answer = await path.finish(path.ask('originate', ''))
    const waited = path.time.clock.now() - begun
    for (const job of jobs) job.accept()
    await path.time.advance(60_000)
    await path.finish(Promise.all(others))

    expect([answer, jobs.length]).toMatchObject([{ status: 503 }, 64])
    expect(waited).toBeLessThanOrEqual(30_000)
    await checkCommandPath(path)
  })
})

describe('F21 a command that the engine refuses', () => {
  const refusals = [
    '-ERR NO_ROUTE_DESTINATION\n',
    '-ERR USER_NOT_REGISTERED\n',
    '-ERR SUBSCRIBER_ABSENT\n',
    '-ERR USER_BUSY\n',
    '-ERR CALL_REJECTED\n',
    '-USAGE: <call url> <exten>|&<application_name>(<app_args>)\n',
  ]

  test.each(ringing.flatMap((kind) => refusals.map((reply) => ({ kind, reply }))))(
    '$kind is 400 with the words of the engine, and is not repeated: $reply',
    async ({ kind, reply }) => {
      const path = await aPath()
      await path.connect()
      path.engine.onJob = (job) => {
        job.accept()
        job.finish(reply)
      }
      const channel = aChannelFor(path, kind)

      const answer = await path.finish(path.ask(kind, channel))
      await path.time.advance(30_000)

      expect(answer).toMatchObject({ status: 400, body: { code: 'engine_refused', info: reply } })
      expect(path.engine.lines).toHaveLength(1)
      await checkCommandPath(path)
    },
  )

  test.each(jobKinds)('an order %s that is not started is 400 with the words of the engine', async (kind) => {
    const path = await aPath()
    await path.connect()
    path.engine.onJob = (job) => job.send('Content-Type: command/reply\nReply-Text: -ERR permission denied\n\n')
    const channel = aChannelFor(path, kind)

    const answer = await path.finish(path.ask(kind, channel))

    expect(answer).toMatchObject({ status: 400, body: { code: 'engine_refused', info: '-ERR permission denied' } })
    await checkCommandPath(path)
  })

  test.each(['hangup', 'eavesdrop'] as const)('an order %s for a channel that ended meanwhile is 404', async (kind) => {
    const path = await aPath()
    await path.connect()
    path.engine.onJob = (job) => {
      job.accept()
      job.finish('-ERR No such channel!\n')
    }
    const channel = aChannelFor(path, kind)

    const answer = await path.finish(path.ask(kind, channel))

    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
    await checkCommandPath(path)
  })
})

describe('F22 more commands than the engine takes', () => {
  /** One tenant gets no further place of 100 while it holds more than are free, and no further room of 200 likewise. */
  const ofOneTenant = { ring: 51, wait: 101 }

  /** Calls of one moment whose phones all ring; each with the moment at which its outcome was reported. */
  function callAtOnce(path: CommandPath, count: number) {
    const begun = path.time.clock.now()
    return Array.from({ length: count }, async () => {
      const outcome = await path.calls.run(anOriginate(), scope, 20_000, randomUUID())
      return { outcome, afterMs: path.time.clock.now() - begun }
    })
  }

  async function aRingingEngine() {
    const path = await aPath()
    const { connector } = await path.connect()
    const usual = path.engine.onJob
    const jobs: EngineJob[] = []
    path.engine.onJob = (job) => {
      if (!job.line.startsWith('originate')) return usual(job)
      job.accept()
      jobs.push(job)
    }
    /** Every phone that still rings is given up. */
    const ringOut = () => {
      for (const job of jobs) job.finish('-ERR NO_ANSWER\n')
    }
    return { path, connector, jobs, ringOut }
  }

  const isBusy = (outcome: CommandOutcome | undefined) => outcome?.state === 'unsent' && outcome.reason === 'busy'

  test('51 of 200 simultaneous calls of one tenant ring, and the others wait or get 429 while their callers still wait', async () => {
    const { path, connector, jobs, ringOut } = await aRingingEngine()
    const calls = callAtOnce(path, 199)
    await path.until(() => path.queue.taken === 199)
    const last = path.ask('originate', '')

    const ended = await path.finish(Promise.all(calls))
    const answer = await path.finish(last)

    expect(jobs).toHaveLength(ofOneTenant.ring)
    expect(ended.filter(({ outcome }) => outcome === undefined)).toHaveLength(ofOneTenant.ring)
    expect(ended.filter(({ outcome }) => isBusy(outcome))).toHaveLength(199 - ofOneTenant.ring)
    expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    const { counters } = connector.health()
    expect(path.peaks.get('commandsInFlight')).toBe(ofOneTenant.ring)
    expect(Math.max(...ended.map(({ afterMs }) => afterMs))).toBeLessThanOrEqual(20_500)
    checkInvariants({
      sums: [{ of: 'commands taken', parts: [jobs.length, counters['commands_unsent'] ?? 0], whole: 200 }],
    })
    await checkCommandPath(path, ringOut)
  })

  test('a hang-up is done at once although its tenant has the maximum of calls that ring or wait', async () => {
    const { path, jobs, ringOut } = await aRingingEngine()
    const calls = callAtOnce(path, 350)
    await path.until(() => jobs.length === ofOneTenant.ring && path.queue.taken >= 350)
    const before = path.time.clock.now()

    const answer = await path.finish(path.ask('hangup'))

    expect(answer).toMatchObject({ status: 200 })
    expect(path.time.clock.now() - before).toBeLessThanOrEqual(1_000)
    await path.finish(Promise.all(calls))
    await checkCommandPath(path, ringOut)
  })

  test('a command beyond the waiting limit is refused at once, and further calls are placed when calls end', async () => {
    const { path, jobs } = await aRingingEngine()
    const calls = callAtOnce(path, 320)
    const { ring, wait } = ofOneTenant
    await path.until(() => jobs.length === ring && path.queue.taken >= 320)
    for (const job of jobs.splice(0)) job.finish('-ERR USER_BUSY\n')
    await path.until(() => jobs.length === ring)
    for (const job of jobs.splice(0)) job.finish(job.run())
    await path.until(() => jobs.length === wait - ring)
    for (const job of jobs.splice(0)) job.finish(job.run())

    const ended = await path.finish(Promise.all(calls))

    const states = Map.groupBy(ended, ({ outcome }) => outcome?.state)
    expect([...states].map(([state, { length }]) => [state, length])).toEqual(
      expect.arrayContaining([
        ['refused', ring],
        ['done', wait],
        ['unsent', 320 - ring - wait],
      ]),
    )
    const refused = ended.filter(({ outcome }) => isBusy(outcome))
    expect(Math.max(...refused.map(({ afterMs }) => afterMs))).toBeLessThan(2_000)
    await checkCommandPath(path)
  })
})

test('every received command message is counted once, by its outcome', async () => {
  const path = await aPath()
  const { connector } = await path.connect()
  const usual = path.engine.onJob
  const turns: CommandPath['engine']['onJob'][] = [
    usual,
    (job) => {
      job.accept()
      job.finish('-ERR USER_BUSY\n')
    },
    (job) => job.accept(),
  ]
  path.engine.onJob = (job) => (turns.shift() ?? usual)(job)
  path.queue.deliveries = 2
  for (const kind of ['originate', 'originate', 'hangup'] as const) await path.finish(path.ask(kind))
  await path.finish(path.ask('hold', randomUUID()))
  path.queue.put('no command')
  await path.time.advance(30_000)

  const { counters } = connector.health()
  const states = ['done', 'refused', 'absent', 'unsent', 'unknown', 'repeated', 'unreadable']

  expect(states.map((state) => counters[`commands_${state}`])).toEqual([1, 1, 1, 0, 1, 4, 1])
  checkInvariants({
    sums: [
      {
        of: 'messages taken',
        parts: states.map((state) => counters[`commands_${state}`] ?? 0),
        whole: path.queue.taken,
      },
    ],
  })
})
