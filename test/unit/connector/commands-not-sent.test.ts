import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { EslCommandNotSent } from '@callplane/esl'
import { aCommandMessage, anOriginate } from '../../support/connector/command-message.ts'
import { type GivenRunner, aRunner, dumpOf, orderTo } from '../../support/connector/runner-harness.ts'

describe('a command is not sent', () => {
  test('a command that arrives after its deadline does not even ask the engine for its channel', async () => {
    const { link, run, outcome, time } = await aRunner()
    const message = aCommandMessage({ command: orderTo(randomUUID()).hold, deadlineAt: time.clock.now() })

    await run(message)

    expect([link.asked, await outcome(message)]).toEqual([[], { state: 'unsent', reason: 'expired' }])
  })

  test('a command is not sent when its deadline passes while its channel is looked up', async () => {
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

  test('a command is not sent when its deadline passes while a slow store answers the claim', async () => {
    let claiming = async () => {}
    const wrapStore: GivenRunner['wrapStore'] = (store) => ({
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

  test('a command counts as not sent when the link reports that it was not written', async () => {
    const { link, run, outcome, jobs } = await aRunner()
    link.onJob = () => Promise.reject(new EslCommandNotSent('the link is down'))
    const message = aCommandMessage({ command: anOriginate() })

    await run(message)

    expect(await outcome(message)).toEqual({ state: 'unsent', reason: 'disconnected' })
    expect(jobs.size).toBe(0)
  })

  test('a command is not sent when it has a value that the API would not accept', async () => {
    const { link, run, outcome } = await aRunner()
    const message = aCommandMessage({ command: anOriginate({ variables: { api_on_answer: 'system id' } }) })

    await run(message)

    expect(link.jobs).toEqual([])
    expect(await outcome(message)).toEqual({
      state: 'refused',
      text: '-ERR variables cannot stand in an engine command\n',
    })
  })
})

describe('lists that an engine keeps waiting', () => {
  test('channel lists that an engine delays hold up no other command, and hold up each other only when a tenant has very many', async () => {
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
