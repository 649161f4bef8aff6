import { afterEach, describe, expect, test } from 'vitest'
import { type SimulatorHarness, simulatorHarness, troubledPhones } from '../../support/engine/simulator-harness.ts'
import { type Replayed, replay } from '../../support/engine/engine-replay.ts'
import { type FrameShape, shapesOf } from '../../support/engine/engine-shape.ts'

let harness: SimulatorHarness
afterEach(() => harness.close())

describe('recorded orders get the recorded answers', () => {
  test.each([
    'control/originate-ok',
    'control/originate-uuid-in-use',
    'control/originate-quoting',
    'control/originate-auto-answer',
    'api/after-hupall',
  ])('the recorded orders of %s get the recorded answers', async (name) => {
    harness = await simulatorHarness()

    const exchanges = await replay(harness, name)

    expectSameAnswers(exchanges)
  })

  test('failing originate commands get the recorded answers of control/originate-errors, except with early media', async () => {
    harness = await simulatorHarness({ phoneBehaviour: troubledPhones })

    const exchanges = await replay(harness, 'control/originate-errors')

    const [early, others] = split(exchanges, ({ sent }) => sent.includes('/5104/'))
    expectSameAnswers(others)
    for (const { answered } of early) expect(answered[0]?.body).toBe('-ERR NO_ROUTE_DESTINATION\n')
  })

  /** Media and features that the platform never orders. */
  const notSimulated =
    /^api uuid_(buglist|audio|send_dtmf|displace|display|phone_event|deflect|limit|loglevel|flush_dtmf|session_heartbeat|broadcast|bridge|park)\b/

  test('uuid commands get the recorded answers of control/uuid-commands, except those that are not simulated', async () => {
    harness = await simulatorHarness()

    const exchanges = await replay(harness, 'control/uuid-commands', {
      rewrite: (bytes) => bytes.replaceAll('/var/fsrec', harness.recordingsDir),
    })

    const [unknown, known] = split(exchanges, ({ sent }) => notSimulated.test(sent))
    for (const { answered } of unknown) expect(answered[0]?.body).toMatch(/^-ERR uuid_\w+ Command not found!\n$/)
    // `show calls` is not simulated; without uuid_bridge the second call is not pulled down with the first.
    const [follows, others] = split(known, ({ sent }) => /^api show (calls|channels count)/.test(sent))
    expect(follows.map(({ answered }) => answered[0]?.body.slice(0, 9))).toEqual(['-USAGE: c', '\n2 total.'])
    expectSameAnswers(others)
  })
})

describe('a job in the background', () => {
  test.each(['control/bgapi-originate', 'control/bgapi-json'])(
    'a background job is acknowledged at once and answered by an event: %s',
    async (name) => {
      harness = await simulatorHarness()

      const exchanges = await replay(harness, name)

      // An event may come before or after the reply to the next command; each kind keeps its own order.
      const recorded = exchanges.flatMap((exchange) => shapesOf(exchange.recorded))
      const answered = exchanges.flatMap((exchange) => shapesOf(exchange.answered))
      expect(answered.filter(isReply)).toEqual(recorded.filter(isReply))
      expect(answered.filter((shape) => !isReply(shape))).toEqual(recorded.filter((shape) => !isReply(shape)))
    },
  )
})

function isReply({ type }: FrameShape): boolean {
  return !type.startsWith('text/event')
}

function expectSameAnswers(exchanges: readonly Replayed[]): void {
  for (const { sent, recorded, answered } of exchanges) {
    expect(shapesOf(answered), `after ${JSON.stringify(sent)}`).toEqual(shapesOf(recorded))
  }
}

function split<T>(all: readonly T[], fits: (one: T) => boolean): [T[], T[]] {
  return [all.filter(fits), all.filter((one) => !fits(one))]
}
