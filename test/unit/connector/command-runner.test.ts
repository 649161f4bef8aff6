import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { aCommandMessage, anOriginate } from '../../support/connector/command-message.ts'
import { aCoreUuid } from '../../support/engine/engine-event.ts'
import { settle } from '../../support/processes/manual-time.ts'
import { aDomain } from '../../support/records/records.ts'
import { aRunner, dumpOf, orderTo } from '../../support/connector/runner-harness.ts'

test('commands in flight and waiting are counted by domain, the busiest first, and those without a domain are left out', async () => {
  const { run, runner } = await aRunner({ calls: 2 })
  const call = (domain: string | null) =>
    run(aCommandMessage({ command: anOriginate(), scope: { domain, presenceId: null } }))

  await call('b.example.com')
  await call('a.example.com')
  for (const domain of ['a.example.com', 'b.example.com', 'b.example.com', null]) void call(domain)
  await settle()

  expect(runner.byDomain()).toEqual([
    { domain: 'b.example.com', inFlight: 1, waiting: 2 },
    { domain: 'a.example.com', inFlight: 1, waiting: 1 },
  ])
  expect([runner.inFlight, runner.waiting]).toEqual([2, 4])
})

describe('a call', () => {
  test("a call is sent once, under the id of its command, and its outcome is the engine's answer", async () => {
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

  test('a call can be hung up while it rings', async () => {
    const { link, run } = await aRunner()
    const command = anOriginate()
    link.answer = () => dumpOf(command.uuid, 'public')
    await run(aCommandMessage({ command }))

    await run(aCommandMessage({ command: { kind: 'hangup', uuid: command.uuid, cause: 'NORMAL_CLEARING' } }))

    expect(link.jobs.map(({ line }) => line.split(' ')[0])).toEqual(['originate', 'uuid_kill'])
  })

  test('a call whose link is lost is forgotten a minute later if no engine has reported it', async () => {
    const { link, jobs, run, outcome, registry, time } = await aRunner()
    const [reported, unreported] = [anOriginate(), anOriginate()]
    const message = aCommandMessage({ command: unreported })
    await run(aCommandMessage({ command: reported }))
    await run(message)
    const create = new Map([
      ['Core-UUID', aCoreUuid],
      ['Event-Name', 'CHANNEL_CREATE'],
    ])
    await registry.learn(reported.uuid, (name) => create.get(name), '192.0.2.1:8021', 'event')
    link.down()
    jobs.loseAll()
    registry.markUnconfirmed('192.0.2.1:8021')
    await settle()

    expect(await outcome(message)).toEqual({ state: 'unknown', reason: 'disconnected' })
    expect(registry.find(unreported.uuid)).toBeDefined()
    await time.advance(60_000)

    expect(registry.find(unreported.uuid)).toBeUndefined()
    expect(registry.find(reported.uuid)).toBeDefined()
  })

  test('a call of a caller who may ring only their own phone does not ring another', async () => {
    const { link, run, outcome } = await aRunner()
    const scope = { domain: 'a.example.com', presenceId: '1001@a.example.com' }
    const message = aCommandMessage({ command: anOriginate({ callerId: '1000' }), scope })

    await run(message)

    expect([link.jobs, await outcome(message)]).toEqual([[], { state: 'absent' }])
  })
})

describe('an order to a channel', () => {
  test.each(['x.a.example.com', 'example.com', 'aaexample.com'])(
    'an order of a domain with a similar name (%s) finds no channel',
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

  test('an order to a channel without a domain is refused as not found, except for root', async () => {
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
    'an order of caller 1000, who may touch only their own channels: a channel of "%s" is touched %i times',
    async (presenceId, times) => {
      const { link, run, channel } = await aRunner()
      const uuid = randomUUID()
      await channel(uuid, 'a.example.com', presenceId)

      const scope = { domain: 'a.example.com', presenceId: '1000@a.example.com' }
      await run(aCommandMessage({ command: orderTo(uuid).hangup, scope }))

      expect(link.jobs).toHaveLength(times)
    },
  )

  test('a hold of a channel that has ended is refused, although its end was not reported yet', async () => {
    const { link, run, outcome, channel } = await aRunner()
    const uuid = randomUUID()
    await channel(uuid, 'a.example.com')
    link.answer = () => '-ERR No such channel!\n'
    const message = aCommandMessage({ command: orderTo(uuid).hold })

    await run(message)

    expect([link.jobs, await outcome(message)]).toEqual([[], { state: 'absent' }])
  })

  test('an eavesdrop counts as a call and waits while ringing calls take all slots', async () => {
    const { link, run, runner, channel } = await aRunner({ calls: 1 })
    const uuid = randomUUID()
    await channel(uuid, 'a.example.com')
    link.answer = () => dumpOf(uuid, 'a.example.com')
    const ringing = aCommandMessage({ command: anOriginate() })
    await run(ringing)

    void run(aCommandMessage({ command: orderTo(uuid).eavesdrop }))
    await settle()
    expect([link.jobs.length, runner.waiting]).toEqual([1, 1])
    link.finishJob(ringing.id, '+OK\n')
    await settle()

    expect([link.jobs.length, runner.waiting]).toEqual([2, 0])
  })
})
