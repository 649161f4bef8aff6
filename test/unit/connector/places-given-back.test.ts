import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { EslCommandNotSent } from '@callplane/esl'
import { DomainError } from '../../../core/errors.ts'
import { aCommandMessage, anOriginate } from '../../support/connector/command-message.ts'
import { gone } from '../../support/stores/flaky.ts'
import { settle } from '../../support/processes/manual-time.ts'
import { aRunner, orderTo } from '../../support/connector/runner-lab.ts'

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
  const lab = await aRunner({ calls: 1, queue: 0, wrapStore: (store) => gone(store, 'claim', () => isGone) })

  await expect(lab.run(aCall())).rejects.toThrow('the store is gone')

  isGone = false
  await expectFree(lab)
})

test('a command that is not to be sent releases its slot if the store of commands is away when it is claimed', async () => {
  let isGone = true
  const lab = await aRunner({ calls: 1, queue: 0, wrapStore: (store) => gone(store, 'claim', () => isGone) })

  await expect(lab.run({ ...aCall(), deadlineAt: lab.time.clock.now() })).rejects.toThrow('the store is gone')

  isGone = false
  await expectFree(lab)
})

test('an order releases its slot if the store of aliases is away when its channel is looked up', async () => {
  const lab = await aRunner({ wrapStore: (store) => gone(store, 'readAlias', () => true) })
  const order = aCommandMessage({ command: orderTo(randomUUID()).hold })

  await expect(lab.run(order)).rejects.toThrow('the store is gone')

  expect(lab.runner.inFlight).toBe(0)
})

test('a command that is not sent releases its slot once it is claimed', async () => {
  const lab = await aRunner({ calls: 1, queue: 0 })

  await lab.run({ ...aCall(), deadlineAt: lab.time.clock.now() })

  await expectFree(lab)
})

test('a command that another connector has claimed releases its slot at once', async () => {
  const lab = await aRunner({ calls: 1, queue: 0 })
  const message = aCall()
  await lab.ports.commands.create(message)
  await lab.ports.commands.claim(message.id, 'connector-2')

  await lab.runner.run(JSON.stringify(message))

  await expectFree(lab)
})

test('a command whose deadline passes while it is claimed releases its slot', async () => {
  let claiming = async () => {}
  const lab = await aRunner({
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
  claiming = () => lab.time.advance(message.deadlineAt - lab.time.clock.now())

  await lab.run(message)

  expect(await lab.outcome(message)).toEqual({ state: 'unsent', reason: 'expired' })
  claiming = async () => {}
  expect(lab.runner.inFlight).toBe(0)
})

test.each([
  ['is answered', (lab: Runner, id: string) => lab.link.finishJob(id, '-ERR USER_BUSY\n')],
  ['loses its link', (lab: Runner) => lab.link.down()],
])('a command that was sent gives its place back when it %s', async (_title, end) => {
  const lab = await aRunner({ calls: 1, queue: 0 })
  const message = aCall()
  await lab.run(message)
  expect(lab.runner.inFlight).toBe(1)

  end(lab, message.id)
  await settle()

  expect(lab.runner.inFlight).toBe(0)
})

test('a command that could not be written to the link releases its slot', async () => {
  const lab = await aRunner({ calls: 1, queue: 0 })
  lab.link.onJob = () => Promise.reject(new EslCommandNotSent('the link is down'))

  await lab.run(aCall())

  expect(lab.runner.inFlight).toBe(0)
})

test('a command whose outcome cannot be stored keeps its slot for a day, until its record has expired', async () => {
  const lab = await aRunner({ calls: 1, queue: 0, wrapStore: (store) => gone(store, 'complete', () => true) })
  const message = aCall()
  await lab.run(message)
  lab.link.finishJob(message.id, '-ERR USER_BUSY\n')

  await lab.time.advance(86_400_000 - 60_000)
  expect(lab.runner.inFlight).toBe(1)
  await lab.time.advance(120_000)

  expect(lab.runner.inFlight).toBe(0)
})

test('an outcome that the store refuses releases its slot after twelve tries', async () => {
  let tries = 0
  const lab = await aRunner({
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
  await lab.run(message)
  lab.link.finishJob(message.id, '-ERR USER_BUSY\n')

  await lab.time.advance(600_000)

  expect([tries, lab.runner.inFlight]).toEqual([12, 0])
})
