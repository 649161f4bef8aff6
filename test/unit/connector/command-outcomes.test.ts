import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { aCommandMessage, anOriginate } from '../../support/connector/command-message.ts'
import { fateUnknown } from '../../support/engine/fake-esl-session.ts'
import { gone } from '../../support/stores/flaky.ts'
import { settle } from '../../support/processes/manual-time.ts'
import { aRunner, dumpOf, orderTo } from '../../support/connector/runner-harness.ts'

describe('a command whose end cannot be known ends as unknown, never as failed', () => {
  test('an unanswered call does not end as unknown while its phone may still ring', async () => {
    const { link, run, outcome, time } = await aRunner()
    const message = aCommandMessage({ command: anOriginate({ timeoutSeconds: 120 }) })
    await run(message)

    await time.advance(125_000)
    link.finishJob(message.id, '-ERR NO_ANSWER\n')
    await settle()

    expect(await outcome(message)).toEqual({ state: 'refused', text: '-ERR NO_ANSWER\n' })
  })
})

describe('an answer that does not say what was done is no success', () => {
  test.each(['', '+OK\n', '  \n', '+OK Job done\n', '+OK 12345678\n', 'done\n'])(
    'a call whose result is %j is looked up by its chosen uuid, and unknown if the engine does not have it',
    async (reply) => {
      const { link, run, outcome } = await aRunner()
      link.answer = () => 'false'
      const command = anOriginate()
      const message = aCommandMessage({ command })
      await run(message)
      link.finishJob(message.id, reply)
      await settle()

      expect(link.asked).toContain(`uuid_exists ${command.uuid}`)
      expect(await outcome(message)).toEqual({ state: 'unknown', reason: 'unclear' })
    },
  )

  test('a call whose result names no channel is there when the engine has the chosen uuid', async () => {
    const { link, run, outcome } = await aRunner()
    link.answer = () => 'true'
    const command = anOriginate()
    const message = aCommandMessage({ command })
    await run(message)
    link.finishJob(message.id, '')
    await settle()

    expect(await outcome(message)).toEqual({ state: 'done', text: `+OK ${command.uuid}\n`, uuid: command.uuid })
  })

  test('a call whose result names no channel is unknown when the engine cannot be asked for it', async () => {
    const { link, run, outcome } = await aRunner()
    link.answer = () => Promise.reject(fateUnknown())
    const message = aCommandMessage({ command: anOriginate() })
    await run(message)
    link.finishJob(message.id, '+OK\n')
    await settle()

    expect(await outcome(message)).toEqual({ state: 'unknown', reason: 'unclear' })
  })

  test.each(['hold', 'unhold', 'hangup'] as const)(
    'a %s that is answered with nothing is not said to be done',
    async (kind) => {
      const { link, run, outcome, channel } = await aRunner()
      const uuid = randomUUID()
      await channel(uuid, 'a.example.com')
      link.answer = () => dumpOf(uuid, 'a.example.com')
      const message = aCommandMessage({ command: orderTo(uuid)[kind] })
      await run(message)
      link.finishJob(message.id, '')
      await settle()

      expect(await outcome(message)).toEqual({ state: 'unknown', reason: 'unclear' })
    },
  )
})

describe('while the store of commands is gone', () => {
  test('a command that was not claimed because the store was away is received again, and then runs once', async () => {
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

  test("an outcome that cannot be stored is retried for as long as the command's record exists", async () => {
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

test('a command that another connector sent is not reported as unsent when its message arrives again too late', async () => {
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

test('no record of the chosen uuid is written for a call that the engine made under that uuid', async () => {
  const { link, run, outcome, ports } = await aRunner()
  const call = anOriginate()
  const [same, other] = [aCommandMessage({ command: call }), aCommandMessage({ command: anOriginate() })]
  await run(same)
  await run(other)

  link.finishJob(same.id, `+OK ${call.uuid}\n`)
  link.finishJob(other.id, `+OK ${randomUUID()}\n`)
  await settle()

  expect(await outcome(same)).toMatchObject({ state: 'done', uuid: call.uuid })
  expect(ports.state.aliases.size).toBe(1)
})
