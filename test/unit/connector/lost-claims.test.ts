import { afterEach, expect, test } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { lostClaims } from '../../../connector/commands/lost-claims.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { checkCommandPath } from '../../support/invariants/command-invariants.ts'
import { checkInvariants } from '../../support/invariants/invariants.ts'
import { engineWaitMs } from '../../../core/channels/engine-reply.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { aCommandRecord } from '../../support/records/records.ts'
import { aWatchedPath } from '../../support/connector/watched-path.ts'

let close = async () => {}
afterEach(() => close())

/** A path on which the engine does everything and answers nothing, so that commands stay open. */
async function anUnansweredPath() {
  const path = await aWatchedPath()
  close = path.close
  path.engine.onJob = (job) => {
    job.accept()
    job.run()
  }
  return { ...path, originate: () => path.ask('originate') }
}

test('F20 the commands that a killed connector had claimed are ended by a living one as connector_lost', async () => {
  const path = await anUnansweredPath()
  const dead = await path.connect()
  const asked = path.originate()
  await path.until(() => path.engine.lines.length === 1)
  dead.kill()
  const living = await path.connect()
  const answer = await path.finish(asked)
  expect(answer).toMatchObject({ status: 200, body: { pending: true } })

  const [{ id } = { id: '' }] = path.records()
  await path.until(() => path.outcome(id) !== undefined)

  expect(path.outcome(id)).toEqual({ state: 'unknown', reason: 'connector_lost' })
  expect(living.connector.health().counters['commandsOfLostConnectors']).toBe(1)
  expect(path.engine.effectsOf(id)).toBe(1)
  await checkCommandPath(path)
})

test('a connector that is only slow but reports does not count as dead, so its claims stay', async () => {
  const path = await anUnansweredPath()
  await path.connect()
  await path.connect()
  const answer = await path.finish(path.originate())

  await path.time.advance(60_000)

  expect(answer).toMatchObject({ body: { pending: true } })
  expect(path.records().map(({ outcome }) => outcome)).toEqual([undefined])
})

test('a connector that was silent and comes back overwrites no reported outcome', async () => {
  const path = await anUnansweredPath()
  const silent = await path.connect()
  let answer = () => {}
  path.engine.onJob = (job) => {
    job.accept()
    answer = () => job.finish(job.run())
  }
  await path.finish(path.originate())
  await path.endFor(silent)
  const [{ id } = { id: '' }] = path.records()
  expect(path.outcome(id)).toEqual({ state: 'unknown', reason: 'connector_lost' })

  answer()
  await path.time.advance(1_000)

  expect(path.outcome(id)).toEqual({ state: 'unknown', reason: 'connector_lost' })
  checkInvariants({ commands: [{ id, outcome: path.outcome(id), effects: path.engine.effectsOf(id) }] })
})

test('ending the claims of a dead connector starts again if the store fails before all are ended', async () => {
  const time = manualTime()
  let answers: readonly { ended: number; more: boolean }[] = [
    { ended: 100, more: true },
    { ended: 0, more: true },
    { ended: 7, more: false },
  ]
  const lost = lostClaims({
    ...time,
    log: capturedLog(),
    store: {
      endClaimsOf: async () => {
        const [first = { ended: 0, more: true }, ...others] = answers
        answers = others
        return first
      },
    },
  })

  const ending = lost.end('connector-1')
  await time.advance(999)
  expect(lost.ended, 'the index lists what has ended for a moment longer').toBe(100)
  await time.advance(1)
  await ending
  expect(lost.ended).toBe(107)

  const endless = lost.end('connector-2').catch((problem: Error) => problem.message)
  await time.advance(1_000_000)
  expect(await endless).toMatch(/more commands open than can be/)
})

test('a claim of a lost connector is ended exactly when its caller no longer waits', async () => {
  const time = manualTime()
  const { commands } = memoryPorts({ clock: time.clock, random: systemRandomness })
  const lost = lostClaims({ ...time, log: capturedLog(), store: commands })
  const record = aCommandRecord({ createdAt: time.clock.now(), deadlineAt: time.clock.now() + engineWaitMs })
  await commands.create(record)
  await commands.claim(record.id, 'connector-1')

  await time.advance(engineWaitMs)
  await lost.end('connector-1')
  expect([(await commands.read(record.id))?.outcome, lost.ended]).toEqual([undefined, 0])

  await time.advance(1)
  await lost.end('connector-1')
  expect((await commands.read(record.id))?.outcome).toEqual({ state: 'unknown', reason: 'connector_lost' })
})
