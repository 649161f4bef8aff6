import { describe, expect, test } from 'vitest'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { dynamoCommandStore } from '../../adapters/dynamodb/calls/dynamo-command-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import { commandMessage } from '../../contracts/messages/command.ts'
import type { CommandOutcome, EngineCommand } from '../../core/commands/commands.ts'
import { startCloudGate } from '../support/stores/cloud-gate.ts'
import { startDynamoServer } from '../support/stores/dynamo-server.ts'
import { movableClock } from '../support/processes/movable-clock.ts'
import { opened } from '../support/processes/opened.ts'
import { startQueueServer } from '../support/stores/queue-server.ts'

const scope = { domain: 'a.example.com', presenceId: '1000@a.example.com' }
const uuid = '11111111-2222-4333-8444-555555555555'
const done: CommandOutcome = { state: 'done', text: '+OK' }

/** Longer than any test: what ends the wait is an outcome. */
const LONG_MS = 60_000

describe('the call engine over the command queue', () => {
  const cloud = opened(openCloud)

  test('a command is recorded before it is queued, with the deadline of its waiting caller', async () => {
    const { engine, server, commands, clock } = fresh()
    connector(async (id) => {
      const record = await commands.read(id)
      expect(record).toMatchObject({ id, scope, command: { kind: 'hold', uuid }, deadlineAt: clock.now() + LONG_MS })
      await commands.complete(id, done)
    })

    await engine.run({ kind: 'hold', uuid }, scope, LONG_MS)

    const [message] = server.waiting('commands')
    const { version: _version, ...record } = commandMessage.parse(message?.body)
    const { outcome: _outcome, ...stored } = (await commands.read(record.id)) ?? {}
    expect(record).toEqual(stored)
    expect(message?.deduplicationId).toBe(record.id)
  })

  test('the message of a command names the request that it is part of, and its scope does not', async () => {
    const { engine, server } = fresh()

    await engine.send({ kind: 'flush-account', login: '1000' }, { ...scope, requestId: 'request-1' })

    const message = commandMessage.parse(server.waiting('commands')[0]?.body)
    expect(message.requestId).toBe('request-1')
    expect(message.scope).toEqual(scope)
  })

  test.each<[EngineCommand, number]>([
    [{ kind: 'apply-gateway', name: 'trunk' }, 2],
    [{ kind: 'flush-directory' }, 1],
  ])(
    'the command %j is written in version %i, which older connectors leave to those that have it',
    async (command, version) => {
      const { engine, server } = fresh()

      await engine.send(command, scope)

      expect(commandMessage.parse(server.waiting('commands')[0]?.body)).toMatchObject({ version, command })
    },
  )

  test.each<CommandOutcome>([
    done,
    { state: 'refused', text: '-ERR NO_ROUTE_DESTINATION' },
    { state: 'absent' },
    { state: 'unsent', reason: 'busy' },
    { state: 'unknown', reason: 'disconnected' },
  ])('the outcome $state is returned as the connector stored it', async (outcome) => {
    const { engine, commands } = fresh()
    connector((id) => commands.complete(id, outcome))

    expect(await engine.run({ kind: 'list-channels' }, scope, LONG_MS)).toEqual(outcome)
  })

  test('a command that a connector has claimed and not finished within the wait has no outcome yet', async () => {
    const { engine, commands } = fresh()
    connector(async (id) => {
      await commands.claim(id, 'connector-1')
    })

    expect(await engine.run({ kind: 'list-channels' }, scope, 0)).toBeUndefined()
  })

  test('a command that no connector took within the wait has expired, and none can take it any more', async () => {
    const { engine, commands, server } = fresh()

    expect(await engine.run({ kind: 'hold', uuid }, scope, 0)).toEqual({ state: 'unsent', reason: 'expired' })

    const { id } = commandMessage.parse(server.waiting('commands')[0]?.body)
    expect(await commands.claim(id, 'connector-1')).toBe(false)
  })

  test('a command that ends just before its withdrawal is answered with its outcome', async () => {
    const { engine, commands, gate } = fresh()
    gate.answer = async (call, forward) => {
      if (call.action === 'UpdateItem') {
        await commands.claim(idIn(call.input), 'connector-1')
        await commands.complete(idIn(call.input), done)
      }
      return forward()
    }

    expect(await engine.run({ kind: 'hold', uuid }, scope, 0)).toEqual(done)
  })

  test('a command whose withdrawal fails has no outcome yet, since a connector may have claimed it', async () => {
    const { engine, gate } = fresh()
    gate.answer = (call, forward) =>
      call.action === 'UpdateItem' ? { status: 500, body: { __type: 'InternalServerError' } } : forward()

    expect(await engine.run({ kind: 'hold', uuid }, scope, 0)).toBeUndefined()
  })

  test('an outcome that is stored between two polls is returned by the next poll', async () => {
    const { engine, commands, gate } = fresh()
    let readings = 0
    gate.answer = async (call, forward) => {
      const reply = await forward()
      if (call.action === 'GetItem') readings += 1
      if (readings === 3) await commands.complete(idIn(call.input), done)
      return reply
    }

    expect(await engine.run({ kind: 'list-channels' }, scope, LONG_MS)).toEqual(done)
    expect(readings).toBeGreaterThan(3)
  })

  test('the outcome is still returned if the store cannot be read for a moment', async () => {
    const { engine, commands, gate } = fresh()
    connector((id) => commands.complete(id, done))
    const answered = gate.answer
    let faults = 4
    gate.answer = (call, forward) => {
      if (call.action !== 'GetItem' || faults === 0) return answered(call, forward)
      faults -= 1
      return { status: 500, body: { __type: 'InternalServerError' } }
    }

    expect(await engine.run({ kind: 'list-channels' }, scope, LONG_MS)).toEqual(done)
  })

  test('a command whose queueing got no answer may have arrived: its outcome is awaited', async () => {
    const { engine, commands, gate } = fresh()
    gate.answer = async (call, forward) => {
      if (call.action !== 'SendMessage') return forward()
      const { id } = JSON.parse(String(call.input['MessageBody']))
      await forward()
      await commands.complete(id, done)
      return 'lost'
    }

    expect(await engine.run({ kind: 'hold', uuid }, scope, LONG_MS)).toEqual(done)
  })

  test('a command that the queue refuses is reported at once and not awaited', async () => {
    const { engine, gate } = fresh()
    gate.answer = (call, forward) =>
      call.action === 'SendMessage' ? { status: 403, body: { __type: 'AccessDeniedException' } } : forward()

    await expect(engine.run({ kind: 'hold', uuid }, scope, LONG_MS)).rejects.toMatchObject({ code: 'internal_error' })
  })

  test('a command whose queueing got no answer is not withdrawn before its deadline: a connector may yet take it', async () => {
    const { engine, commands, gate } = fresh()
    let readings = 0
    gate.answer = async (call, forward) => {
      const reply = await forward()
      if (call.action === 'SendMessage') return 'lost'
      if (call.action === 'GetItem') readings += 1
      if (readings === 3 && (await commands.claim(idIn(call.input), 'connector-1'))) {
        await commands.complete(idIn(call.input), done)
      }
      return reply
    }

    expect(await engine.run({ kind: 'hold', uuid }, scope, LONG_MS)).toEqual(done)
  })

  test('a command that may have reached the queue is awaited, even if the queue refuses its repetition', async () => {
    const { engine, commands, gate } = fresh()
    let tries = 0
    gate.answer = async (call, forward) => {
      if (call.action !== 'SendMessage') return forward()
      const { id } = JSON.parse(String(call.input['MessageBody']))
      tries += 1
      if (tries === 1) {
        await forward()
        await commands.claim(id, 'connector-1')
        return 'lost'
      }
      await commands.complete(id, done)
      return { status: 403, body: { __type: 'AccessDeniedException' } }
    }

    expect(await engine.run({ kind: 'hold', uuid }, scope, LONG_MS)).toEqual(done)
  })

  test.each([
    ['a command that must not be late', { kind: 'hang-up-domain' } as const, 60_000],
    [
      'a call, which nobody expects any more after that,',
      { kind: 'originate', uuid, calledId: '1', callerId: '2', timeoutSeconds: 30, variables: {} } as const,
      20_000,
    ],
    ['a flush, which may be repeated,', { kind: 'flush-account', login: '1000' } as const, 24 * 3_600_000],
  ])('%s without a waiting caller is recorded and queued for its time', async (_, command, lifeMs) => {
    const { engine, commands, server, clock } = fresh()

    await engine.send(command, scope)

    const { id } = commandMessage.parse(server.waiting('commands')[0]?.body)
    expect(await commands.read(id)).toMatchObject({ deadlineAt: clock.now() + lifeMs })
  })

  test('a command that is sent again under its id is queued once', async () => {
    const { engine, commands, server } = fresh()
    const id = '77777777-2222-4333-8444-555555555555'
    const call = { kind: 'originate', uuid, calledId: '1', callerId: '2', timeoutSeconds: 30, variables: {} } as const
    await engine.send(call, scope, id)
    await commands.claim(id, 'connector')

    await engine.send(call, scope, id)

    expect(server.waiting('commands')).toHaveLength(1)
  })

  const target = '99999999-2222-4333-8444-555555555555'
  test.each<[EngineCommand, string]>([
    [{ kind: 'hangup', uuid, cause: 'NORMAL_CLEARING' }, uuid],
    [{ kind: 'originate', uuid, calledId: '1', callerId: '2', timeoutSeconds: 30, variables: {} }, uuid],
    [{ kind: 'eavesdrop', uuid, target, user: '1', mode: 'listen', dtmf: false, side: '1', variables: {} }, target],
    [{ kind: 'hang-up-domain' }, 'domain:a.example.com'],
    [{ kind: 'drop-registrations', login: 'Ann' }, 'account:ann@a.example.com'],
  ])('the order of what concerns one thing is kept: $0.kind', async (command, group) => {
    const { engine, server } = fresh()

    await engine.send(command, scope)

    expect(server.waiting('commands')).toMatchObject([{ group }])
  })

  test('two channel lists of one domain do not wait for each other, since each has its own message group', async () => {
    const { engine, server } = fresh()

    for (let poll = 0; poll < 3; poll += 1) await engine.send({ kind: 'list-channels' }, scope)

    const waiting = server.waiting('commands')
    expect(waiting.map(({ group }) => group)).toEqual(waiting.map(({ body }) => commandMessage.parse(body).id))
    expect(new Set(waiting.map(({ group }) => group)).size).toBe(3)
  })

  describe('a command that is run again under its id', () => {
    const id = '12121212-2222-4333-8444-555555555555'
    const originate: EngineCommand = {
      kind: 'originate',
      uuid,
      calledId: '9196',
      callerId: '1000',
      timeoutSeconds: 60,
      variables: {},
    }
    const unique = () => id.slice(0, 24) + systemRandomness.uuid().slice(24)

    test('a repeated command returns the first outcome and is queued once', async () => {
      const { engine, commands, server } = fresh()
      connector((each) => commands.complete(each, done))
      const own = unique()

      expect(await engine.run(originate, scope, LONG_MS, own)).toEqual(done)
      expect(await engine.run(originate, scope, LONG_MS, own)).toEqual(done)
      expect(server.waiting('commands').map(({ deduplicationId }) => deduplicationId)).toEqual([own])
    })

    test('a repeated command that a connector has claimed is awaited and not queued again', async () => {
      const { engine, commands, server, clock } = fresh()
      const own = unique()
      await commands.create({ id: own, scope, command: originate, createdAt: clock.now(), deadlineAt: clock.now() })
      await commands.claim(own, 'connector-1')

      expect(await engine.run(originate, scope, LONG_MS, own)).toBeUndefined()
      expect(server.waiting('commands')).toEqual([])
    })

    test('a repeated command that was recorded and never claimed is withdrawn, and sent under another id', async () => {
      const { engine, commands, server, clock } = fresh()
      const own = unique()
      await commands.create({ id: own, scope, command: originate, createdAt: clock.now(), deadlineAt: clock.now() })
      connector((each) => commands.complete(each, done))

      expect(await engine.run(originate, scope, LONG_MS, own)).toEqual(done)

      const [queued] = server.waiting('commands')
      expect(queued?.deduplicationId).not.toBe(own)
      expect(queued?.deduplicationId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(await commands.claim(own, 'connector-1')).toBe(false)
      expect(await engine.run(originate, scope, LONG_MS, own)).toEqual(done)
      expect(server.waiting('commands')).toHaveLength(1)
    })

    test('a repeated command that its connector did not send is sent under another id', async () => {
      const { engine, commands, server } = fresh()
      const own = unique()
      connector((each) => commands.complete(each, { state: 'unsent', reason: 'disconnected' }))
      expect(await engine.run(originate, scope, LONG_MS, own)).toMatchObject({ state: 'unsent' })
      connector((each) => commands.complete(each, done))

      expect(await engine.run(originate, scope, LONG_MS, own)).toEqual(done)
      expect(server.waiting('commands')).toHaveLength(2)
    })

    test('a repeated command with an unknown outcome is never sent again', async () => {
      const { engine, commands, server } = fresh()
      const own = unique()
      const unknown = { state: 'unknown', reason: 'connector_lost' } as const
      connector((each) => commands.complete(each, unknown))

      expect(await engine.run(originate, scope, LONG_MS, own)).toEqual(unknown)
      expect(await engine.run(originate, scope, LONG_MS, own)).toEqual(unknown)
      expect(server.waiting('commands')).toHaveLength(1)
    })

    test('a command that many repeat at once is claimed by a connector at most once', async () => {
      const { engine, commands, server, clock } = fresh()
      const own = unique()
      const taken: string[] = []
      connector(async (each) => {
        if (await commands.claim(each, 'connector-1')) taken.push(each)
        await commands.complete(each, done)
      })

      const outcomes = await Promise.all(Array.from({ length: 5 }, () => engine.run(originate, scope, LONG_MS, own)))

      expect(outcomes.every((outcome) => outcome?.state === 'done' || outcome?.state === 'unsent')).toBe(true)
      expect(taken).toHaveLength(1)
      expect(server.waiting('commands').length).toBeGreaterThanOrEqual(1)
      expect(clock.now()).toBeGreaterThan(0)
    })
  })

  /** Does what a connector does with each command as soon as it is queued. */
  function connector(work: (id: string) => Promise<void>): void {
    cloud().gate.answer = async (call, forward) => {
      const reply = await forward()
      if (call.action === 'SendMessage') await work(JSON.parse(String(call.input['MessageBody'])).id)
      return reply
    }
  }

  function fresh() {
    const { server, gate } = cloud()
    server.empty()
    gate.answer = (_call, forward) => forward()
    return cloud()
  }
})

async function openCloud() {
  const dynamo = await startDynamoServer()
  const server = await startQueueServer()
  const gate = await startCloudGate({ DynamoDB_20120810: dynamo.endpoint, AmazonSQS: server.endpoint })
  const clock = movableClock()
  const direct = { env: { ...server.env, ...dynamo.env }, clock, random: systemRandomness }
  return {
    server,
    gate,
    clock,
    engine: sqsCallEngine({ ...direct, env: { ...direct.env, ...gate.env } }),
    commands: dynamoCommandStore(direct),
    async close() {
      await gate.close()
      await Promise.all([dynamo.close(), server.close()])
    },
  }
}

function idIn(input: Readonly<Record<string, unknown>>): string {
  return (input['Key'] as { pk: { S: string } }).pk.S
}
