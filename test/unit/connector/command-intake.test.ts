import { expect, test } from 'vitest'
import { type Fitness, commandIntake } from '../../../connector/commands/command-intake.ts'
import { maxInHand } from '../../../connector/start-loops.ts'
import { commandMessageVersion } from '../../../contracts/messages/command.ts'
import { DomainError } from '../../../core/errors.ts'
import type { CommandReceiver, TakenMessage } from '../../../core/commands/command-store.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { manualTime, settle } from '../../support/processes/manual-time.ts'

/** A queue that a test fills; what is taken and not removed is not given again. */
function aQueue() {
  const waiting: TakenMessage[] = []
  const removed: string[] = []
  let wake = () => {}
  let failures = 0
  const receiver: CommandReceiver = {
    receive: async (limit, signal) => {
      if (failures > 0) {
        failures -= 1
        throw new DomainError('store_unavailable', 'the queue is gone')
      }
      if (waiting.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
          signal.addEventListener('abort', () => resolve())
        })
      }
      return signal.aborted ? [] : waiting.splice(0, limit)
    },
    remove: async ({ body }) => void removed.push(body),
  }
  const put = async (...bodies: string[]) => {
    waiting.push(...bodies.map((body) => ({ body, group: body.slice(0, 1), receipt: body })))
    wake()
    await settle()
  }
  return { receiver, removed, put, failNext: (times: number) => (failures = times) }
}

/** A runner whose every message a test lets go on. */
function aRunner() {
  const started: string[] = []
  const going = new Map<string, PromiseWithResolvers<void>>()
  return {
    started,
    run: (body: string) => {
      started.push(body)
      const gate = Promise.withResolvers<void>()
      going.set(body, gate)
      return gate.promise
    },
    finish: async (body: string) => {
      going.get(body)?.resolve()
      await settle()
    },
    fail: async (body: string) => {
      going.get(body)?.reject(new DomainError('store_unavailable', 'the store is gone'))
      await settle()
    },
  }
}

function anIntake() {
  const time = manualTime()
  const queue = aQueue()
  const runner = aRunner()
  const stopping = new AbortController()
  const state: { fitness: Fitness } = { fitness: 'fit' }
  const intake = commandIntake({
    ...time,
    receiver: queue.receiver,
    runner,
    fitness: async () => state.fitness,
    maxInHand: 4,
    random: () => 0,
    log: capturedLog(),
  })
  const ended = { is: false }
  void intake.follow(stopping.signal).then(() => (ended.is = true))
  return { ...queue, time, runner, ended, state, stop: () => stopping.abort() }
}

test('commands to one channel run one after another, and commands to other channels run at the same time', async () => {
  const { put, runner } = anIntake()

  await put('a1', 'a2', 'b1')
  expect(runner.started).toEqual(['a1', 'b1'])
  await runner.finish('a1')

  expect(runner.started).toEqual(['a1', 'b1', 'a2'])
})

test('a command message is removed from the queue when its command was sent', async () => {
  const { put, runner, removed } = anIntake()
  await put('a1')
  expect(removed).toEqual([])

  await runner.finish('a1')

  expect(removed).toEqual(['a1'])
})

test('a command message that could not be run stays in the queue, and so do those after it', async () => {
  const { put, runner, removed } = anIntake()
  await put('a1', 'a2', 'b1')

  await runner.fail('a1')
  await runner.finish('b1')

  expect(runner.started).toEqual(['a1', 'b1'])
  expect(removed).toEqual(['b1'])
})

test('a command queue that is unreachable is polled again after a wait', async () => {
  const { put, runner, time, failNext } = anIntake()
  await settle()
  failNext(1)
  await put('a1')
  await put('b1')
  expect(runner.started).toEqual(['a1'])

  await time.advance(250)

  expect(runner.started).toEqual(['a1', 'b1'])
})

test('a stopped intake receives no further command messages, and ends when those in flight have run', async () => {
  const { put, runner, ended, removed, stop } = anIntake()
  await put('a1')

  stop()
  await put('b1')
  expect(ended.is).toBe(false)
  await runner.finish('a1')

  expect([ended.is, runner.started, removed]).toEqual([true, ['a1'], ['a1']])
})

test('no more command messages are received than may be in flight', async () => {
  const { put, runner } = anIntake()

  await put('a1', 'b1', 'c1', 'd1')
  await put('e1')
  expect(runner.started).toEqual(['a1', 'b1', 'c1', 'd1'])
  await runner.finish('a1')

  expect(runner.started).toEqual(['a1', 'b1', 'c1', 'd1', 'e1'])
})

test.each(['waiting', 'unfit'] as const)('a connector that is %s leaves the messages in the queue', async (fitness) => {
  const { put, runner, time, state } = anIntake()
  await put('a1')
  await runner.finish('a1')
  state.fitness = fitness
  await put('b1')
  await put('c1')
  expect(runner.started).not.toContain('c1')

  state.fitness = 'alone'
  await time.advance(100)

  expect(runner.started).toContain('c1')
})

test('a command message that only other connectors can run stays in the queue for them', async () => {
  const { put, runner, removed, state } = anIntake()
  state.fitness = 'fit'
  await put('a1')
  await runner.finish('a1')

  state.fitness = 'unfit'
  await put('b1')

  expect([runner.started, removed]).toEqual([['a1'], ['a1']])
})

test('a command message that arrives just as the link is lost waits until the link is back or given up', async () => {
  const { put, state, runner, time } = anIntake()
  await settle()
  state.fitness = 'waiting'
  await put('a1', 'b1')
  await time.advance(1_000)
  expect(runner.started).toEqual([])

  state.fitness = 'fit'
  await time.advance(100)

  expect(runner.started).toEqual(['a1', 'b1'])
})

test('a command message of a later version is left to a newer connector, and a malformed one is removed', async () => {
  const { put, runner, removed } = anIntake()
  const later = JSON.stringify({ version: commandMessageVersion + 1, command: { kind: 'whatever' } })

  await put(later, 'no message', ' {"version":"2"}')
  await runner.finish('no message')

  expect(runner.started).toEqual(['no message', ' {"version":"2"}'])
  expect(removed).toEqual(['no message'])
})

test('an order to a channel waits for the one before it, even if a third one has already ended', async () => {
  const { put, runner } = anIntake()
  await put('a1', 'a2')
  await runner.finish('a1')

  await put('a3')
  expect(runner.started).toEqual(['a1', 'a2'])
  await runner.finish('a2')

  expect(runner.started).toEqual(['a1', 'a2', 'a3'])
})

test('a connector has twice as many messages in hand as may wait for its engines and for lists', () => {
  // Each engine, and what is still to be found, lets 200 calls and 200 orders wait; lists are of all engines together.
  expect([maxInHand(1), maxInHand(3)]).toEqual([2_000, 3_600])
})
