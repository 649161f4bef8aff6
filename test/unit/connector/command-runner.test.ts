import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { memoryPorts } from '../../../adapters/memory/memory-ports.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { channelList } from '../../../connector/calls/channel-list.ts'
import { channelRegistry } from '../../../connector/calls/channel-registry.ts'
import { domainNames } from '../../../connector/calls/domain-names.ts'
import { commandRunner } from '../../../connector/commands/command-runner.ts'
import { EslCommandNotSent, EslCommandRejected } from '../../../connector/esl/errors.ts'
import type { CommandMessage } from '../../../contracts/messages/command.ts'
import type { CommandStore } from '../../../core/channels/command-store.ts'
import { capturedLog } from '../../support/captured-log.ts'
import { aCommandMessage, anEavesdrop, anOriginate } from '../../support/command-message.ts'
import { aCoreUuid } from '../../support/engine-event.ts'
import { fateUnknown } from '../../support/fake-esl-session.ts'
import { gone } from '../../support/flaky.ts'
import { manualTime, settle } from '../../support/manual-time.ts'
import { playedEngine } from '../../support/played-engine.ts'
import { aDomain } from '../../support/records.ts'
import { ofCaller } from '../../support/leg-fields.ts'

/** The engine's answer to `uuid_dump … json`, as far as it decides anything. */
const dumpOf = (uuid: string, domain: string, more: Readonly<Record<string, string>> = {}) =>
  JSON.stringify({ 'Unique-ID': uuid, 'Caller-Context': domain, 'Channel-Call-State': 'ACTIVE', ...more })

interface Given {
  readonly calls?: number
  readonly queue?: number
  readonly isUp?: boolean
  readonly wrapStore?: (store: CommandStore) => CommandStore
}

/** A runner over memory stores and a played engine that has the domains `a`, `b`, and `x.a.example.com`. */
async function aRunner({ calls = 10, queue = 10, isUp = true, wrapStore = (store) => store }: Given = {}) {
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  for (const name of ['a.example.com', 'b.example.com', 'x.a.example.com'])
    await ports.domains.create(aDomain({ name }))
  const domains = domainNames(ports.domains, time.clock)
  const registry = channelRegistry(domains)
  const engine = playedEngine('192.0.2.1:8021', { time, registry, domains })
  const { jobs } = engine
  const link = engine.engine.commands
  if (isUp) engine.up()
  const log = capturedLog()
  const make = (connectorId: string) =>
    commandRunner({
      ...time,
      engines: [engine],
      registry,
      channels: channelList({ engines: [engine], registry }),
      store: wrapStore(ports.commands),
      limits: { calls: { places: calls, queue }, orders: { places: 10, queue }, lists: { places: 10, queue } },
      connectorId,
      random: () => 0,
      log,
    })
  const runner = make('connector-1')

  /** Records a command as an endpoint does, and has it run. */
  const run = async (message: CommandMessage, by = runner) => {
    await ports.commands.create(message)
    await by.run(JSON.stringify(message))
    await settle()
  }
  const outcome = async ({ id }: CommandMessage) => (await ports.commands.read(id))?.outcome
  const fieldsOf = (domain: string, account: string): Readonly<Record<string, string>> => ({
    'Caller-Context': domain,
    variable_uuid: 'any',
    ...(account === '' ? {} : ofCaller(account)),
  })
  const channel = (uuid: string, domain: string, presenceId = '') =>
    registry.learn(uuid, (name) => fieldsOf(domain, presenceId)[name], '192.0.2.1:8021')
  return { time, ports, registry, jobs, link, log, runner, make, run, outcome, channel }
}

describe('a call', () => {
  test('is written once, under the id of its command, and ends as the engine says', async () => {
    const { link, run, outcome } = await aRunner()
    const command = anOriginate()
    const message = aCommandMessage({ command })

    await run(message)
    expect(link.jobs).toEqual([{ id: message.id, line: expect.stringContaining(`origination_uuid=${command.uuid}`) }])
    expect(await outcome(message)).toBeUndefined()
    link.finishJob(message.id, `+OK ${command.uuid}\n`)
    await settle()

    expect(await outcome(message)).toEqual({ state: 'done', text: `+OK ${command.uuid}\n`, uuid: command.uuid })
  })

  test('that is delivered twice is dialled once, also by another connector', async () => {
    const { link, run, runner, make } = await aRunner()
    const message = aCommandMessage({ command: anOriginate() })

    await run(message)
    await run(message)
    await run(message, make('connector-2'))

    expect(link.jobs).toHaveLength(1)
    expect(runner.counts.repeated).toBe(1)
  })

  test('that the engine made under another uuid can be hung up by the one that was chosen', async () => {
    const { link, run, outcome, channel } = await aRunner()
    const command = anOriginate()
    const actual = randomUUID()
    const call = aCommandMessage({ command })
    await run(call)
    link.finishJob(call.id, `+OK ${actual}\n`)
    await settle()
    await channel(actual, 'a.example.com')

    await run(aCommandMessage({ command: { kind: 'hangup', uuid: command.uuid, cause: 'NORMAL_CLEARING' } }))

    expect(await outcome(call)).toMatchObject({ state: 'done', uuid: actual })
    expect(link.jobs[1]?.line).toBe(`uuid_kill ${actual} NORMAL_CLEARING`)
  })

  test('can be hung up while it rings', async () => {
    const { link, run } = await aRunner()
    const command = anOriginate()
    link.answer = () => dumpOf(command.uuid, 'public')
    await run(aCommandMessage({ command }))

    await run(aCommandMessage({ command: { kind: 'hangup', uuid: command.uuid, cause: 'NORMAL_CLEARING' } }))

    expect(link.jobs.map(({ line }) => line.split(' ')[0])).toEqual(['originate', 'uuid_kill'])
  })

  test('whose link is lost is forgotten a minute later where no engine has told of it', async () => {
    const { link, jobs, run, outcome, registry, time } = await aRunner()
    const [told, untold] = [anOriginate(), anOriginate()]
    const message = aCommandMessage({ command: untold })
    await run(aCommandMessage({ command: told }))
    await run(message)
    const create = new Map([
      ['Core-UUID', aCoreUuid],
      ['Event-Name', 'CHANNEL_CREATE'],
    ])
    await registry.learn(told.uuid, (name) => create.get(name), '192.0.2.1:8021', 'event')
    link.down()
    jobs.loseAll()
    registry.doubt('192.0.2.1:8021')
    await settle()

    expect(await outcome(message)).toEqual({ state: 'unknown', reason: 'disconnected' })
    expect(registry.find(untold.uuid)).toBeDefined()
    await time.advance(60_000)

    expect(registry.find(untold.uuid)).toBeUndefined()
    expect(registry.find(told.uuid)).toBeDefined()
  })

  test('that the engine refuses is refused in its words', async () => {
    const { link, run, outcome, registry } = await aRunner()
    const command = anOriginate()
    const message = aCommandMessage({ command })
    await run(message)

    link.finishJob(message.id, '-ERR USER_NOT_REGISTERED\n')
    await settle()

    expect(await outcome(message)).toEqual({ state: 'refused', text: '-ERR USER_NOT_REGISTERED\n' })
    expect(registry.find(command.uuid)).toBeUndefined()
  })

  test('of a caller who may ring only his own phone does not ring another', async () => {
    const { link, run, outcome } = await aRunner()
    const scope = { domain: 'a.example.com', presenceId: '1001@a.example.com' }
    const message = aCommandMessage({ command: anOriginate({ callerId: '1000' }), scope })

    await run(message)

    expect([link.jobs, await outcome(message)]).toEqual([[], { state: 'absent' }])
  })
})

describe('an order to a channel', () => {
  test.each(['hold', 'unhold', 'hangup', 'eavesdrop'] as const)(
    'of another domain (%s) finds no channel',
    async (kind) => {
      const { link, run, outcome, channel } = await aRunner()
      const uuid = randomUUID()
      await channel(uuid, 'b.example.com')
      link.answer = () => dumpOf(uuid, 'b.example.com')
      const message = aCommandMessage({ command: orderTo(uuid)[kind] })

      await run(message)

      expect([link.jobs, await outcome(message)]).toEqual([[], { state: 'absent' }])
    },
  )

  test.each(['x.a.example.com', 'example.com', 'aaexample.com'])(
    'of a domain whose name is like its own (%s) finds no channel',
    async (domain) => {
      const { link, run, ports, outcome, channel } = await aRunner()
      await ports.domains.create(aDomain({ name: domain }))
      const uuid = randomUUID()
      await channel(uuid, domain)
      const message = aCommandMessage({ command: orderTo(uuid).hangup })

      await run(message)

      expect([link.jobs, await outcome(message)]).toEqual([[], { state: 'absent' }])
    },
  )

  test('without a domain finds no channel, but root does', async () => {
    const { link, run, outcome, channel } = await aRunner()
    const uuid = randomUUID()
    await channel(uuid, 'public')
    const tenant = aCommandMessage({ command: orderTo(uuid).hangup })

    await run(tenant)
    expect(await outcome(tenant)).toEqual({ state: 'absent' })
    await run(aCommandMessage({ command: orderTo(uuid).hangup, scope: { domain: null, presenceId: null } }))

    expect(link.jobs).toHaveLength(1)
  })

  test.each([
    ['1000@a.example.com', 1],
    ['1000@A.example.com', 1],
    ['1001@a.example.com', 0],
    ['000@a.example.com', 0],
    ['', 0],
  ])(
    'of a caller 1000 who may touch only his own: a channel of "%s" is touched %i times',
    async (presenceId, times) => {
      const { link, run, channel } = await aRunner()
      const uuid = randomUUID()
      await channel(uuid, 'a.example.com', presenceId)

      const scope = { domain: 'a.example.com', presenceId: '1000@a.example.com' }
      await run(aCommandMessage({ command: orderTo(uuid).hangup, scope }))

      expect(link.jobs).toHaveLength(times)
    },
  )

  test('that nobody told of is looked for at the engine', async () => {
    const { link, run } = await aRunner()
    const uuid = randomUUID()
    link.answer = (command) => (command === `uuid_dump ${uuid} json` ? dumpOf(uuid, 'a.example.com') : '')

    await run(aCommandMessage({ command: orderTo(uuid).hold }))

    expect(link.jobs.map(({ line }) => line)).toEqual([`uuid_hold ${uuid}`])
  })

  test('that does not exist is not held, although the engine would say +OK', async () => {
    const { link, run, outcome } = await aRunner()
    link.answer = () => '-ERR No such channel!\n'
    const message = aCommandMessage({ command: orderTo(randomUUID()).hold })

    await run(message)

    expect([link.jobs, await outcome(message)]).toEqual([[], { state: 'absent' }])
  })

  test('that has ended is not held, although its end has not been heard of yet', async () => {
    const { link, run, outcome, channel } = await aRunner()
    const uuid = randomUUID()
    await channel(uuid, 'a.example.com')
    link.answer = () => '-ERR No such channel!\n'
    const message = aCommandMessage({ command: orderTo(uuid).hold })

    await run(message)

    expect([link.jobs, await outcome(message)]).toEqual([[], { state: 'absent' }])
  })

  test('is proven anew after the event link was lost, since its end may have been missed', async () => {
    const { link, run, outcome, channel, registry } = await aRunner()
    const uuid = randomUUID()
    await channel(uuid, 'a.example.com')
    registry.doubt('192.0.2.1:8021')
    link.answer = () => '-ERR No such channel!\n'
    const message = aCommandMessage({ command: orderTo(uuid).hangup })

    await run(message)

    expect(await outcome(message)).toEqual({ state: 'absent' })
  })

  test.each([
    ['HELD', { state: 'done', text: '+OK Success\n' }],
    ['ACTIVE', { state: 'refused', text: '-ERR Operation failed\n' }],
  ])('that the engine refuses to hold while it is %s ends as it should', async (callState, expected) => {
    const { link, run, outcome, channel } = await aRunner()
    const uuid = randomUUID()
    await channel(uuid, 'a.example.com')
    link.answer = () => dumpOf(uuid, 'a.example.com', { 'Channel-Call-State': callState })
    const message = aCommandMessage({ command: orderTo(uuid).hold })
    await run(message)

    link.finishJob(message.id, '-ERR Operation failed\n')
    await settle()

    expect(await outcome(message)).toEqual(expected)
  })

  test('that ended meanwhile is absent', async () => {
    const { link, run, outcome, channel } = await aRunner()
    const uuid = randomUUID()
    await channel(uuid, 'a.example.com')
    const message = aCommandMessage({ command: orderTo(uuid).hangup })
    await run(message)

    link.finishJob(message.id, '-ERR No such channel!\n')
    await settle()

    expect(await outcome(message)).toEqual({ state: 'absent' })
  })

  test('does not wait behind calls that ring', async () => {
    const { link, run, channel } = await aRunner({ calls: 1 })
    const uuid = randomUUID()
    await channel(uuid, 'a.example.com')
    await run(aCommandMessage({ command: anOriginate() }))

    await run(aCommandMessage({ command: orderTo(uuid).hangup }))

    expect(link.jobs).toHaveLength(2)
  })
})

describe('a command is not sent', () => {
  test('after its deadline', async () => {
    const { link, run, outcome, time } = await aRunner()
    const message = aCommandMessage({ command: anOriginate(), deadlineAt: time.clock.now() })

    await run(message)

    expect([link.jobs, await outcome(message)]).toEqual([[], { state: 'unsent', reason: 'expired' }])
  })

  test('after its deadline: the engine is not even asked for the channel', async () => {
    const { link, run, outcome, time } = await aRunner()
    const message = aCommandMessage({ command: orderTo(randomUUID()).hold, deadlineAt: time.clock.now() })

    await run(message)

    expect([link.asked, await outcome(message)]).toEqual([[], { state: 'unsent', reason: 'expired' }])
  })

  test('when its deadline passes while the channel is looked for', async () => {
    const { link, run, outcome, time } = await aRunner()
    const uuid = randomUUID()
    link.answer = async () => {
      await time.advance(30_000)
      return dumpOf(uuid, 'a.example.com')
    }
    const message = aCommandMessage({ command: orderTo(uuid).hold })

    await run(message)

    expect([link.jobs, await outcome(message)]).toEqual([[], { state: 'unsent', reason: 'expired' }])
  })

  test('when its deadline passes while a slow store is asked for the claim', async () => {
    let claiming = async () => {}
    const wrapStore: Given['wrapStore'] = (store) => ({
      ...store,
      claim: async (id, connectorId) => {
        await claiming()
        return store.claim(id, connectorId)
      },
    })
    const { link, run, runner, outcome, time } = await aRunner({ wrapStore })
    claiming = () => time.advance(30_000)
    const message = aCommandMessage({ command: anOriginate() })

    await run(message)

    expect([link.jobs, await outcome(message)]).toEqual([[], { state: 'unsent', reason: 'expired' }])
    expect(runner.inFlight).toBe(0)
  })

  test('while the engine is not connected', async () => {
    const { link, run, outcome } = await aRunner({ isUp: false })
    const message = aCommandMessage({ command: anOriginate() })

    await run(message)

    expect([link.jobs, await outcome(message)]).toEqual([[], { state: 'unsent', reason: 'disconnected' }])
  })

  test('when no place becomes free before its deadline', async () => {
    const { link, run, ports, runner, outcome, time } = await aRunner({ calls: 1 })
    await run(aCommandMessage({ command: anOriginate() }))
    const second = aCommandMessage({ command: anOriginate() })
    await ports.commands.create(second)

    const running = runner.run(JSON.stringify(second))
    await time.advance(30_000)
    await running
    await settle()

    expect(link.jobs).toHaveLength(1)
    expect(await outcome(second)).toEqual({ state: 'unsent', reason: 'busy' })
  })

  test('later than when a call before it has ended', async () => {
    const { link, run, ports, runner } = await aRunner({ calls: 1 })
    const [first, second] = [aCommandMessage({ command: anOriginate() }), aCommandMessage({ command: anOriginate() })]
    await run(first)
    await ports.commands.create(second)
    const running = runner.run(JSON.stringify(second))
    await settle()
    expect(link.jobs).toHaveLength(1)

    link.finishJob(first.id, '-ERR USER_BUSY\n')
    await running

    expect(link.jobs.map(({ id }) => id)).toEqual([first.id, second.id])
  })

  test('at once when too many wait already', async () => {
    const { run, outcome } = await aRunner({ calls: 1, queue: 0 })
    await run(aCommandMessage({ command: anOriginate() }))
    const second = aCommandMessage({ command: anOriginate() })

    await run(second)

    expect(await outcome(second)).toEqual({ state: 'unsent', reason: 'busy' })
  })

  test('when the link says that it did not write it', async () => {
    const { link, run, outcome, jobs } = await aRunner()
    link.onJob = () => Promise.reject(new EslCommandNotSent('the link is down'))
    const message = aCommandMessage({ command: anOriginate() })

    await run(message)

    expect(await outcome(message)).toEqual({ state: 'unsent', reason: 'disconnected' })
    expect(jobs.size).toBe(0)
  })

  test('when a value in it is not what the API accepts', async () => {
    const { link, run, outcome } = await aRunner()
    const message = aCommandMessage({ command: anOriginate({ variables: { api_on_answer: 'system id' } }) })

    await run(message)

    expect(link.jobs).toEqual([])
    expect(await outcome(message)).toEqual({
      state: 'refused',
      text: '-ERR variables cannot stand in an engine command\n',
    })
  })

  test.each([
    '',
    'no json',
    '{}',
    JSON.stringify({ ...aCommandMessage(), command: { kind: 'hangup', uuid: '1 all' } }),
  ])('when its message cannot be read (%#); it is counted, and nothing of it is logged', async (body) => {
    const { link, runner, log } = await aRunner()

    await runner.run(body)

    expect([link.jobs, runner.counts.unreadable]).toEqual([[], 1])
    expect(log.lines.map(({ keys }) => keys)).toEqual([{ characters: body.length }])
  })
})

describe('lists that an engine keeps waiting', () => {
  test('keep no order from its place, and each other only when a tenant has very many', async () => {
    const { link, run, runner, outcome, channel } = await aRunner({ queue: 0 })
    const uuid = randomUUID()
    await channel(uuid, 'a.example.com')
    link.answer = (line) => (line === 'show channels as json' ? new Promise(() => {}) : '+OK')
    const lists = Array.from({ length: 7 }, () => aCommandMessage({ command: { kind: 'list-channels' } }))
    for (const list of lists) await run(list)
    const hangUp = aCommandMessage({ command: { kind: 'hangup', uuid, cause: 'NORMAL_CLEARING' } })
    const flush = aCommandMessage({ command: { kind: 'flush-account', login: '1000' } })

    await run(hangUp)
    await run(flush)

    expect(link.jobs.map(({ id }) => id)).toEqual([hangUp.id, flush.id])
    expect(await Promise.all(lists.map(outcome))).toEqual([
      ...Array.from({ length: 6 }, () => undefined),
      { state: 'unsent', reason: 'busy' },
    ])
    expect(runner.inFlight).toBe(8)
  })
})

describe('a command whose end cannot be known ends as unknown, never as failed', () => {
  test('when the link breaks after it was written', async () => {
    const { link, run, outcome } = await aRunner()
    const message = aCommandMessage({ command: anOriginate() })
    await run(message)

    link.down()
    await settle()

    expect(await outcome(message)).toEqual({ state: 'unknown', reason: 'disconnected' })
  })

  test('when the link breaks while it is written', async () => {
    const { link, run, outcome } = await aRunner()
    link.onJob = () => Promise.reject(fateUnknown())
    const message = aCommandMessage({ command: anOriginate() })

    await run(message)

    expect(await outcome(message)).toEqual({ state: 'unknown', reason: 'disconnected' })
  })

  test('when the engine never answers; a late answer completes nothing', async () => {
    const { link, run, outcome, time, channel } = await aRunner()
    const uuid = randomUUID()
    await channel(uuid, 'a.example.com')
    const message = aCommandMessage({ command: orderTo(uuid).hangup })
    await run(message)

    await time.advance(20_000)
    link.finishJob(message.id, '+OK\n')
    await settle()

    expect(await outcome(message)).toEqual({ state: 'unknown', reason: 'timeout' })
  })

  test('but a call is waited for as long as its phone may ring', async () => {
    const { link, run, outcome, time } = await aRunner()
    const message = aCommandMessage({ command: anOriginate({ timeoutSeconds: 120 }) })
    await run(message)

    await time.advance(125_000)
    link.finishJob(message.id, '-ERR NO_ANSWER\n')
    await settle()

    expect(await outcome(message)).toEqual({ state: 'refused', text: '-ERR NO_ANSWER\n' })
  })
})

test('a job that the engine does not start is refused', async () => {
  const { link, run, outcome } = await aRunner()
  link.onJob = () => Promise.reject(new EslCommandRejected('-ERR permission denied'))
  const message = aCommandMessage({ command: anOriginate() })

  await run(message)

  expect(await outcome(message)).toEqual({ state: 'refused', text: '-ERR permission denied' })
})

describe('while the store of commands is gone', () => {
  test('nothing is written: the message is to be seen again, and then runs once', async () => {
    let isGone = true
    const { link, run, runner } = await aRunner({ wrapStore: (store) => gone(store, 'claim', () => isGone) })
    const message = aCommandMessage({ command: anOriginate() })
    await expect(run(message)).rejects.toThrow('the store is gone')
    expect(link.jobs).toEqual([])

    isGone = false
    await runner.run(JSON.stringify(message))
    await runner.run(JSON.stringify(message))

    expect(link.jobs).toHaveLength(1)
  })

  test('an outcome waits until it can be stored, for as long as its record lives', async () => {
    let isGone = true
    const { link, run, outcome, time } = await aRunner({ wrapStore: (store) => gone(store, 'complete', () => isGone) })
    const message = aCommandMessage({ command: anOriginate() })
    await run(message)
    link.finishJob(message.id, '-ERR USER_BUSY\n')
    await time.advance(600_000)
    expect(await outcome(message)).toBeUndefined()

    isGone = false
    await time.advance(5_000)

    expect(await outcome(message)).toEqual({ state: 'refused', text: '-ERR USER_BUSY\n' })
  })
})

test('a connector that ends between claim and write leaves a command that nobody sends again', async () => {
  const { link, run, ports, make } = await aRunner()
  const message = aCommandMessage({ command: anOriginate() })
  await ports.commands.create(message)
  await ports.commands.claim(message.id, 'connector-that-died')

  await run(message, make('connector-2'))

  expect(link.jobs).toEqual([])
  expect(await ports.commands.read(message.id)).toMatchObject({ claimedBy: 'connector-that-died' })
})

test('a command that another connector sent is not told as unsent when its message comes again too late', async () => {
  const { run, ports, time } = await aRunner()
  const message = aCommandMessage({ command: anOriginate() })
  await ports.commands.create(message)
  await ports.commands.claim(message.id, 'connector-2')
  await time.advance(30_000)

  await run(message)

  expect(await ports.commands.read(message.id)).not.toHaveProperty('outcome')
})

test('the log of a command holds its id and domain, and no number', async () => {
  const { link, run, log } = await aRunner()
  const message = aCommandMessage({ command: anOriginate({ calledId: '15551234567' }) })

  await run(message)
  link.finishJob(message.id, '-ERR USER_BUSY\n')
  await settle()

  expect(log.lines.map(({ keys }) => keys)).toEqual([
    expect.objectContaining({ commandId: message.id, domain: 'a.example.com', kind: 'originate', outcome: 'refused' }),
  ])
  expect(JSON.stringify(log.lines)).not.toContain('15551234567')
})

function orderTo(uuid: string) {
  return {
    hold: { kind: 'hold', uuid },
    unhold: { kind: 'unhold', uuid },
    hangup: { kind: 'hangup', uuid, cause: 'NORMAL_CLEARING' },
    eavesdrop: anEavesdrop({ target: uuid }),
  } as const
}
