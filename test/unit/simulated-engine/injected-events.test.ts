import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type SimulatorHarness, type WireFrame, simulatorHarness } from '../../support/engine/simulator-harness.ts'
import { recordedExchanges, replay } from '../../support/engine/engine-replay.ts'
import { shapesOf } from '../../support/engine/engine-shape.ts'

let harness: SimulatorHarness
beforeEach(async () => {
  harness = await simulatorHarness()
})
afterEach(() => harness.close())

describe('an event that a client injects', () => {
  test('an event that a client injects is acknowledged with its uuid', async () => {
    const exchanges = await replay(harness, 'events/sendevent-custom.sender')

    for (const { recorded, answered } of exchanges) expect(shapesOf(answered)).toEqual(shapesOf(recorded))
  })

  test.each(['json', 'plain', 'xml'])(
    'an event that a client injects comes to a %s listener byte for byte as recorded',
    async (format) => {
      const { subscription, events } = recordedEvents(`events/sendevent-custom.${format}`)
      const listener = await harness.login()
      await listener.command(subscription)

      await replay(harness, 'events/sendevent-custom.sender')

      const received = await listener.take(events.length)
      expect(received.map(comparable)).toEqual(events.map(comparable))
    },
  )
})

/** The subscription that a recorded listener sent, and the events that it got. */
function recordedEvents(name: string): { subscription: string; events: WireFrame[] } {
  const exchanges = recordedExchanges(name).slice(2)
  const [reply, ...events] = exchanges.flatMap(({ frames }) => frames)
  expect(reply?.headers.get('Reply-Text')).toMatch(/^\+OK event listener enabled/)
  return { subscription: exchanges[0]?.sent.trim() ?? '', events }
}

/** An event's whole text without what is the engine's own at that moment. */
function comparable({ headers, body }: WireFrame): string {
  const own =
    /("?(?:Event-UUID|Core-UUID|FreeSWITCH-IPv[46]|Event-Date-(?:Local|Timestamp)|Event-Sequence)"?[:>]\s?)[^\n,<]*/g
  const gmt = /\w{3},(%20| )\d\d(%20| )\w{3}(%20| )\d{4}(%20| )[\d%A:]+(%20| )GMT/g
  return `${headers.get('Content-Type')} ${body.replace(gmt, '<time>').replace(own, '$1')}`
}
