import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { EslCommandNotSent } from '@callplane/esl'
import { DomainError } from '../../../core/errors.ts'
import { aCommandMessage, anOriginate } from '../../support/connector/command-message.ts'
import { gone } from '../../support/stores/flaky.ts'
import { settle } from '../../support/processes/manual-time.ts'
import { aRunner, orderTo } from '../../support/connector/runner-harness.ts'

/**
 * A connector that loses a place per fault has none left after a day of faults, and answers 429 until it is restarted.
 */
type Runner = Awaited<ReturnType<typeof aRunner>>

const aCall = () => aCommandMessage({ command: anOriginate() })

/** The one place for calls is free: another call gets it at once. */
async function expectFree({ run, runner, link }: Runner): Promise<void> {
  expect(runner.inFlight).toBe(0)
  const next = aCall()
  await run(next)
  expect(link.jobs.map(({ id }) => id)).toContain(next.id)
}

test('a command releases its slot if the store of commands is away when it is claimed', async () => {
  let isGone = true
  const harness = await aRunner({ calls: 1, queue: 0, wrapStore: (store) => gone(store, 'claim', () => isGone) })

  await expect(harness.run(aCall())).rejects.toThrow('the store is gone')

  isGone = false
  await expectFree(harness)
})

test('a command that is not to be sent releases its slot if the store of commands is away when it is claimed', async () => {
  let isGone = true
  const harness = await aRunner({ calls: 1, queue: 0, wrapStore: (store) => gone(store, 'claim', () => isGone) })

  await expect(harness.run({ ...aCall(), deadlineAt: harness.time.clock.now() })).rejects.toThrow('the store is gone')

  isGone = false
  await expectFree(harness)
})

test('an order releases its slot if the store of aliases is away when its channel is looked up', async () => {
  const harness = await aRunner({ wrapStore: (store) => gone(store, 'readAlias', () => true) })
  const order = aCommandMessage({ command: orderTo(randomUUID()).hold })

  await expect(harness.run(order)).rejects.toThrow('the store is gone')

  expect(harness.runner.inFlight).toBe(0)
})

test('a command that is not sent releases its slot once it is claimed', async () => {
  const harness = await aRunner({ calls: 1, queue: 0 })

  await harness.run({ ...aCall(), deadlineAt: harness.time.clock.now() })

  await expectFree(harness)
})

test('a command that another connector has claimed releases its slot at once', async () => {
  const harness = await aRunner({ calls: 1, queue: 0 })
  const message = aCall()
  await harness.ports.commands.create(message)
  await harness.ports.commands.claim(message.id, 'connector-2')

  await harness.runner.run(JSON.stringify(message))

  await expectFree(harness)
})

test('a command whose deadline passes while it is claimed releases its slot', async () => {
  let claiming = async () => {}
  const harness = await aRunner({
    calls: 1,
    queue: 0,
    wrapStore: (store) => ({
      ...store,
      claim: async (id, connectorId) => {
        await claiming()
        return store.claim(id, connectorId)
      },
    }),
  })
  const message = aCall()
  claiming = () => harness.time.advance(message.deadlineAt - harness.time.clock.now())

  await harness.run(message)

  expect(await harness.outcome(message)).toEqual({ state: 'unsent', reason: 'expired' })
  claiming = async () => {}
  expect(harness.runner.inFlight).toBe(0)
})

test.each([
  ['is answered', (harness: Runner, id: string) => harness.link.finishJob(id, '-ERR USER_BUSY\n')],
  ['loses its link', (harness: Runner) => harness.link.down()],
])('a command that was sent gives its place back when it %s', async (_title, end) => {
  const harness = await aRunner({ calls: 1, queue: 0 })
  const message = aCall()
  await harness.run(message)
  expect(harness.runner.inFlight).toBe(1)

  end(harness, message.id)
  await settle()

  expect(harness.runner.inFlight).toBe(0)
})

test('a command that could not be written to the link releases its slot', async () => {
  const harness = await aRunner({ calls: 1, queue: 0 })
  harness.link.onJob = () => Promise.reject(new EslCommandNotSent('the link is down'))

  await harness.run(aCall())

  expect(harness.runner.inFlight).toBe(0)
})

test('a command whose outcome cannot be stored keeps its slot for a day, until its record has expired', async () => {
  const harness = await aRunner({ calls: 1, queue: 0, wrapStore: (store) => gone(store, 'complete', () => true) })
  const message = aCall()
  await harness.run(message)
  harness.link.finishJob(message.id, '-ERR USER_BUSY\n')

  await harness.time.advance(86_400_000 - 60_000)
  expect(harness.runner.inFlight).toBe(1)
  await harness.time.advance(120_000)

  expect(harness.runner.inFlight).toBe(0)
})

test('an outcome that the store refuses releases its slot after twelve tries', async () => {
  let tries = 0
  const harness = await aRunner({
    calls: 1,
    queue: 0,
    wrapStore: (store) => ({
      ...store,
      complete: async () => {
        tries += 1
        throw new DomainError('internal_error', 'the outcome is not to the mind of the store')
      },
    }),
  })
  const message = aCall()
  await harness.run(message)
  harness.link.finishJob(message.id, '-ERR USER_BUSY\n')

  await harness.time.advance(600_000)

  expect([tries, harness.runner.inFlight]).toEqual([12, 0])
})
