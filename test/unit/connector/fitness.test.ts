import { afterEach, expect, test } from 'vitest'
import { type Fitness, fitnessJudge } from '../../../connector/commands/command-intake.ts'
import type { ConnectorReport } from '../../../core/connectors/connector-report.ts'
import { DomainError } from '../../../core/errors.ts'
import { commandKinds } from '../../support/platform/api-commands.ts'
import { checkCommandPath } from '../../support/invariants/command-invariants.ts'
import { fakeEslSession } from '../../support/engine/fake-esl-session.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aReport, anEngineReport } from '../../support/records/records.ts'
import { aWatchedPath } from '../../support/connector/watched-path.ts'

let close = async () => {}
afterEach(() => close())

/** A judge of a connector with one engine; what other connectors report is said by the test. */
function aJudge(report: (now: number) => readonly ConnectorReport[] = () => []) {
  const time = manualTime()
  const [commands, events] = [fakeEslSession(), fakeEslSession()]
  const judge = fitnessJudge({
    ...time,
    engines: [{ commands, events }],
    store: { list: async () => [...report(time.clock.now())] },
    connectorId: 'own',
  })
  return { time, commands, events, judge }
}

test('a connector with an engine is fit, and stays so for a moment after its link is lost', async () => {
  const { time, commands, events, judge } = aJudge()
  expect(await judge()).toBe('waiting')
  commands.up()
  events.up()
  expect(await judge()).toBe('fit')

  commands.down()

  expect(await judge()).toBe('waiting')
  await time.advance(1_999)
  expect(await judge()).toBe('waiting')
  await time.advance(1)
  expect(await judge()).toBe('alone')
})

test.each<[Fitness, string, Partial<ConnectorReport>, number]>([
  ['unfit', 'that has an engine', {}, 0],
  ['alone', 'that is itself', { connectorId: 'own' }, 0],
  ['alone', 'without an engine', { engines: [anEngineReport({ connected: false })] }, 0],
  ['alone', 'that has stopped', { stoppedAt: 1 }, 0],
  ['unfit', 'that was silent for 12 s', {}, 12_000],
  ['alone', 'that was silent for longer', {}, 12_001],
])('a connector without an engine is %s next to a connector %s', async (expected, _other, given, age) => {
  const { time, judge } = aJudge((now) => [aReport({ connectorId: 'other', ...given, reportedAt: now - age })])
  await judge()

  await time.advance(2_000)

  expect(await judge()).toBe(expected)
})

test('a connector without an event link leaves commands to one that has both links, and takes them if there is no other', async () => {
  let isThere = true
  const { time, commands, judge } = aJudge((now) => [
    aReport({ connectorId: 'other', engines: [anEngineReport({ connected: isThere })], reportedAt: now }),
  ])
  commands.up()
  expect(await judge()).toBe('unfit')

  isThere = false
  await time.advance(1_000)

  expect(await judge()).toBe('fit')
})

test('a caller learns at once that no engine is connected, although the store of reports is away', async () => {
  const { time, judge } = aJudge(() => {
    throw new DomainError('store_unavailable', 'the store is gone')
  })
  await judge()

  await time.advance(2_000)

  expect(await judge()).toBe('alone')
})

test.each(commandKinds.filter(({ kind }) => kind === 'originate' || kind === 'hold'))(
  'F07 of two connectors one loses its links: each $kind is done by the other, and none is refused',
  async ({ kind }) => {
    const path = await aWatchedPath()
    close = path.close
    const [first] = [await path.connect(), await path.connect()]
    await first.door.shut()
    await path.until(() => first.connector.health().status === 'error')

    const answers = await path.finish(Promise.all([1, 2, 3, 4].map(() => path.ask(kind))))

    for (const each of answers) expect(each).toMatchObject({ status: 200 })
    expect(path.engine.lines).toHaveLength(4)
    await checkCommandPath(path)
  },
)

test('F01 while no connector has an engine a command is refused at once, with 503 and the time to come back', async () => {
  const path = await aWatchedPath()
  close = path.close
  const first = await path.connect()
  await first.door.shut()
  await path.time.advance(3_000)

  for (const { kind } of commandKinds) {
    const before = path.time.clock.now()
    const answer = await path.finish(path.ask(kind))
    if ('outcome' in answer) expect(answer.outcome).toEqual({ state: 'unsent', reason: 'disconnected' })
    else expect(answer).toMatchObject({ status: 503, body: { code: 'engine_unavailable' } })
    if (!('outcome' in answer)) expect(Number(answer.headers['Retry-After'])).toBeGreaterThan(0)
    expect(path.time.clock.now() - before).toBeLessThanOrEqual(500)
  }

  expect(path.engine.lines).toEqual([])
  await checkCommandPath(path)
})
