import { expect, test } from 'vitest'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import { sqsCommandReceiver } from '../../adapters/sqs/sqs-command-receiver.ts'
import { commandMessage } from '../../contracts/messages/command.ts'
import type { TakenMessage } from '../../core/commands/command-store.ts'
import { startCloudGate } from '../support/stores/cloud-gate.ts'
import { movableClock } from '../support/processes/movable-clock.ts'
import { opened } from '../support/processes/opened.ts'
import { startQueueServer } from '../support/stores/queue-server.ts'

const channel = '11111111-2222-4333-8444-555555555555'
const scope = { domain: 'a.example.com', presenceId: null }

/** A receiver before a queue, and an endpoint that puts commands into it; the store of commands takes anything. */
const rig = opened(async () => {
  const server = await startQueueServer()
  const gate = await startCloudGate({ AmazonSQS: server.endpoint })
  const takeAnything = () => {
    gate.answer = (call, forward) => (call.service.startsWith('DynamoDB') ? { status: 200, body: {} } : forward())
  }
  takeAnything()
  const env = { ...server.env, ...gate.env, TABLE_COMMANDS: 'commands' }
  const context = { env, clock: movableClock(), random: systemRandomness }
  return {
    server,
    gate,
    takeAnything,
    receiver: sqsCommandReceiver(context),
    engine: sqsCallEngine(context),
    async close() {
      await gate.close()
      await server.close()
    },
  }
})

const never = new AbortController().signal

test('commands are received in their order, each with its group, and disappear once they are removed', async () => {
  const { receiver, engine, server } = rig()
  server.empty()
  await engine.send({ kind: 'hold', uuid: channel }, scope)
  await engine.send({ kind: 'hangup', uuid: channel, cause: 'NORMAL_CLEARING' }, scope)

  const taken: TakenMessage[] = []
  while (server.waiting('commands').length > 0) {
    for (const message of await receiver.receive(10, never)) {
      taken.push(message)
      await receiver.remove(message)
    }
  }

  expect(taken.map(({ group }) => group)).toEqual([channel, channel])
  expect(taken.map(({ body }) => commandMessage.parse(JSON.parse(body)).command.kind)).toEqual(['hold', 'hangup'])
})

test('a wait for commands ends at once without a command when it is aborted', async () => {
  const { receiver, server } = rig()
  server.empty()
  const calledOff = new AbortController()

  const receiving = receiver.receive(10, calledOff.signal)
  calledOff.abort()

  await expect(receiving).resolves.toEqual([])
})

test('a command queue that cannot be reached is asked once and reported as unavailable', async () => {
  const { receiver, gate, takeAnything } = rig()
  gate.answer = () => 'lost'
  gate.calls.length = 0

  await expect(receiver.receive(10, never)).rejects.toMatchObject({ code: 'store_unavailable' })

  expect(gate.calls).toHaveLength(1)
  takeAnything()
})
