import { afterEach, describe, expect, test } from 'vitest'
import type { EngineCommand } from '../../../core/commands/commands.ts'
import { eachNth } from '../../support/breadth.ts'
import { aChannelFor, commandKinds, effectsOf } from '../../support/platform/api-commands.ts'
import { checkCommandPath } from '../../support/invariants/command-invariants.ts'
import type { CommandPath, MortalConnector } from '../../support/connector/command-path.ts'
import { aWatchedPath } from '../../support/connector/watched-path.ts'

let close = async () => {}
afterEach(() => close())

/**
 * Every step of a command's way, in order, when it has been taken, and how a command ends whose connector dies then: up
 * to the claim another connector does it; from then on no connector does it again.
 */
const steps = [
  { step: 1, title: 'its record was written', moment: 'before enqueue', ends: ['done'] },
  { step: 2, title: 'its message was sent', moment: 'after enqueue', ends: ['done'] },
  { step: 3, title: 'its message was taken', moment: 'after receive', ends: ['done'] },
  { step: 4, title: 'its channel was looked up', moment: 'looked up', ends: ['done'] },
  { step: 5, title: 'everything was found to be in order', moment: 'before claim', ends: ['done'] },
  { step: 6, title: 'it was claimed', moment: 'after claim', ends: ['unknown'] },
  { step: 7, title: 'it was written to the engine', moment: 'written', ends: ['unknown'] },
  { step: 8, title: 'the engine did it', moment: 'done', ends: ['unknown'] },
  { step: 9, title: 'the engine accepted it', moment: 'before remove', ends: ['done', 'unknown'] },
  { step: 10, title: 'its message was removed', moment: 'after remove', ends: ['done', 'unknown'] },
  { step: 11, title: 'its outcome came', moment: 'before complete', ends: ['unknown'] },
  { step: 12, title: 'its outcome was stored', moment: 'after complete', ends: ['done'] },
] as const

type Moment = (typeof steps)[number]['moment']

/** Steps that a kind does not have, because it has no channel or is not one job. */
const absent: Partial<Record<EngineCommand['kind'], readonly Moment[]>> = {
  originate: ['looked up'],
  'list-channels': ['looked up', 'written', 'done'],
  'hang-up-domain': ['looked up', 'written', 'done'],
  'flush-account': ['looked up'],
  'flush-directory': ['looked up'],
  'drop-registrations': ['looked up', 'written', 'done'],
  'drop-domain-registrations': ['looked up', 'written', 'done'],
}

/** A path whose first connector is killed when a moment has come. */
async function dyingAt(moment: Moment, deliveries: number) {
  const path = await aWatchedPath()
  close = path.close
  const { engine, queue } = path
  let first: MortalConnector | undefined
  let isKilled = false
  const tell = (now: string) => {
    if (isKilled || now !== moment || first === undefined) return
    isKilled = true
    first.kill()
  }
  first = await path.connect(tell)
  queue.deliveries = deliveries
  queue.tell = tell
  engine.onAsked = (command) => {
    if (command.startsWith('uuid_dump')) tell('looked up')
  }
  const usual = engine.onJob
  engine.onJob = (job) => {
    if (isKilled || (moment !== 'written' && moment !== 'done')) return usual(job)
    if (moment === 'done') job.run()
    tell(moment)
  }
  return { path, first, isKilled: () => isKilled }
}

/** A list is waited for 8 s, and what a dying connector has taken is seen again after 10 s. */
const isLate = (kind: EngineCommand['kind'], moment: Moment) =>
  kind === 'list-channels' && (moment === 'after receive' || moment === 'before claim')

/** Hands every message out once more, as a queue may do long after. */
async function deliverAgain(path: CommandPath) {
  for (const record of path.records()) path.queue.put(JSON.stringify({ version: 1, ...record }))
  await path.time.advance(2_000)
}

describe.each(commandKinds)('F20 $kind is done at most once and its outcome is true', ({ kind }) => {
  const all = steps
    .filter(({ moment }) => absent[kind]?.includes(moment) !== true)
    .flatMap((at) => [
      { at, deliveries: 1 },
      { at, deliveries: 2 },
    ])
  const cases = eachNth(
    all,
    5,
    commandKinds.findIndex((each) => each.kind === kind),
  )

  test.each(cases)(
    'a command is done at most once when its connector is killed after step $at.step, $at.title, and its message is given $deliveries times',
    async ({ at: { moment, ends }, deliveries }) => {
      const { path, first, isKilled } = await dyingAt(moment, deliveries)
      const channel = aChannelFor(path, kind)

      const sending = path.ask(kind, channel)
      await path.until(isKilled)
      await path.connect()
      await path.finish(sending)
      await path.endFor(first)
      await deliverAgain(path)

      const commands = path.records()
      expect(commands).toHaveLength(1)
      expect(isLate(kind, moment) ? ['unsent', ...ends] : ends).toContain(commands[0]?.outcome?.state)
      expect(path.engine.lines.length).toBeLessThanOrEqual(1)
      await checkCommandPath(path)
    },
  )
})

describe.each(commandKinds)('F18 $kind that the queue hands out twice', ({ kind }) => {
  test(`a ${kind} that reaches two connectors at the same moment is done once`, async () => {
    const path = await aWatchedPath()
    close = path.close
    await Promise.all([path.connect(), path.connect()])
    path.queue.deliveries = 2
    const channel = aChannelFor(path, kind)

    await path.finish(path.ask(kind, channel))
    await deliverAgain(path)

    const [{ id, outcome } = { id: '', outcome: undefined }, ...others] = path.records()
    expect([others, outcome?.state, path.queue.taken]).toEqual([[], 'done', 3])
    expect([effectsOf(path, kind, id, channel), path.engine.lines.length]).toEqual([1, expect.toSatisfy((n) => n <= 1)])
    await checkCommandPath(path)
  })
})

/** Kinds that are one job of the engine each: the others are several questions and orders. */
const jobs = commandKinds.filter(({ kind }) => absent[kind]?.includes('written') !== true)

test.each(jobs)(
  'F13 of two connectors on one engine the one that took a command executes it, and no other: $kind',
  async ({ kind }) => {
    const path = await aWatchedPath()
    close = path.close
    const connectors = [await path.connect(), await path.connect()]

    await path.finish(Promise.all([1, 2, 3, 4, 5, 6].map(() => path.ask(kind))))

    const claims = path.records().map(({ claimedBy, outcome }) => [claimedBy, outcome?.state])
    expect(connectors.map(({ id, door }) => [id, door.jobs])).toEqual(
      connectors.map(({ id }) => [id, claims.filter(([by]) => by === id).length]),
    )
    expect(claims.map(([, state]) => state)).toEqual(Array.from({ length: 6 }, () => 'done'))
    await checkCommandPath(path)
  },
)
