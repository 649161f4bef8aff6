import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type SimulatorHarness, simulatorHarness } from '../../support/engine/simulator-harness.ts'
import { recordedExchanges, replay } from '../../support/engine/engine-replay.ts'
import { shapesOf } from '../../support/engine/engine-shape.ts'

let harness: SimulatorHarness
beforeEach(async () => {
  harness = await simulatorHarness()
})
afterEach(() => harness.close())

describe('a recorded connection gets the recorded answers', () => {
  test.each([
    'session/auth-ok-exit',
    'session/auth-ok-crlf',
    'session/auth-missing',
    'session/auth-pipelined',
    'session/auth-twice',
    'session/auth-wrong-password',
    'session/auth-empty-password',
    'session/auth-timeout',
    'session/api-with-content-length',
    'session/big-command',
    'session/blank-lines',
    'session/log-frames',
    'session/newline-in-argument',
    'session/pipelined-apis',
    'session/reload-mod-event-socket.sender',
    'session/reply-truncation',
    'session/unknown-commands',
    'session/userauth-denied',
  ])('the recorded connection %s gets the recorded answers', async (name) => {
    const exchanges = await replay(harness, name)

    for (const { sent, recorded, answered } of exchanges) {
      expect(shapesOf(answered), `after ${JSON.stringify(sent.slice(0, 200))}`).toEqual(shapesOf(recorded))
    }
  })
})

/** The recorded requests that the simulated engine does not support; it must say so. */
const notSimulated =
  /^api (eval|expand|regex|strftime|host_lookup|time_test|fsctl|module_exists|json|bgapi|sched_api|unsched_api|limit_usage|hash|db)\b/

describe('an api command', () => {
  test('an api command that is unknown, malformed or without an answer is answered as recorded', async () => {
    const exchanges = await replay(harness, 'session/unknown-api')

    for (const { sent, recorded, answered } of exchanges) {
      if (notSimulated.test(sent)) expect(answered[0]?.body).toMatch(/^-ERR \w+ Command not found!\n$/)
      else expect(shapesOf(answered), sent).toEqual(shapesOf(recorded))
    }
  })

  test.each(
    recordedExchanges('session/newline-in-argument')
      .map(({ sent }) => sent)
      .filter((sent) => sent !== ''),
  )('an api command is read the same when %j comes byte by byte', async (sent) => {
    const whole = harness.connect()
    whole.send(`auth ClueCon\n\n${sent}`)
    const piecemeal = harness.connect()
    for (const byte of `auth ClueCon\n\n${sent}`) {
      piecemeal.send(byte)
      await piecemeal.drain().then((frames) => piecemeal.keep(frames))
    }

    expect(await piecemeal.drain()).toEqual(await whole.drain())
  })
})

describe('a connection', () => {
  test('a connection gets a goodbye when the client ends its side, and only after its command is answered', async () => {
    const recorded = recordedExchanges('session/half-close').flatMap(({ frames }) => frames)
    const client = harness.connect()
    client.send('auth ClueCon\n\napi version\n\n')
    client.end()

    const frames = await client.take(recorded.length)

    expect(shapesOf(frames)).toEqual(shapesOf(recorded))
    await client.untilClosed()
  })

  test('a connection gets no event while a command is incomplete', async () => {
    const recorded = recordedExchanges('session/split-writes').flatMap(({ frames }) => frames)
    const client = await harness.login()
    await client.command('event plain CUSTOM test::partial')
    const other = await harness.login()

    client.send('api vers')
    await client.drain()
    await other.command('sendevent CUSTOM\nEvent-Subclass: test::partial\nmark: fired-while-command-was-partial')
    expect(await client.drain()).toEqual([])
    client.send('ion\n\n')

    expect(shapesOf(await client.take(2))).toEqual(shapesOf(recorded.slice(-2)))
  })

  test('a connection is cut with a notice when any client sends a line that names the module and its reload', async () => {
    const recorded = recordedExchanges('session/reload-mod-event-socket').flatMap(({ frames }) => frames)
    const client = await harness.login()
    await client.command('event plain ALL')
    const other = await harness.login()

    other.send('api echo please do not reload mod_event_socket\n\n')

    expect(shapesOf(await client.take(2))).toEqual(shapesOf(recorded.slice(-2)))
    await client.untilClosed()
    expect(shapesOf([await (await harness.login()).command('api version')])[0]?.text).toContain('FreeSWITCH Version')
  })

  test('a connection runs one command at a time and gets events only between them', async () => {
    const recorded = recordedExchanges('control/api-blocks-connection').at(-1)
    const client = await harness.login()
    await client.command('event plain CUSTOM lab::tick')
    const other = await harness.login()

    client.send(recorded?.sent ?? '')
    await other.command('sendevent CUSTOM\nEvent-Subclass: lab::tick\nn: 1')
    await other.command('sendevent CUSTOM\nEvent-Subclass: lab::tick\nn: 2')

    expect(shapesOf(await client.take(4)).map(({ text, values }) => text + (values?.['Event-Name'] ?? ''))).toEqual(
      shapesOf(recorded?.frames ?? []).map(({ text, values }) => text + (values?.['Event-Name'] ?? '')),
    )
  })
})
