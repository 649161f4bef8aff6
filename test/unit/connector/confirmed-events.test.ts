import { expect, test } from 'vitest'
import { memoryEventSink } from '../../support/memory/memory-event-sink.ts'
import { confirmedEvents } from '../../../connector/events/confirmed-events.ts'
import { serviceEvent } from '../../../core/events/service-event.ts'
import { manualTime } from '../../support/processes/manual-time.ts'

const event = serviceEvent({
  kind: 'recording_stored',
  id: 'told-1',
  domain: 'a.example.com',
  occurredAt: 1,
  fields: {},
})

/** An outbox that hands over when the test says so. */
function aTeller(given: { isKnown?: boolean; isWanted?: boolean; hasRoom?: boolean } = {}) {
  const { isKnown = true, isWanted = true, hasRoom = true } = given
  const time = manualTime()
  const sink = memoryEventSink()
  const told = confirmedEvents({ sink, subscriptions: { isKnown, wants: () => isWanted }, timers: time.timers })
  const added: string[] = []
  const outbox = {
    add: ({ id }: { readonly id: string }) => {
      added.push(id)
      return hasRoom
    },
  }
  let answer: boolean | undefined
  void told.tell(event, outbox).then((end) => (answer = end))
  return { time, told, added, answer: () => answer }
}

test('an event is told when the queue has taken it', async () => {
  const { time, told, answer } = aTeller()
  await time.advance(1_000)
  expect(answer()).toBeUndefined()

  await told.sink.publish([event])
  await time.advance(0)

  expect(answer()).toBe(true)
})

test('what the queue has not taken in a minute is to be told again', async () => {
  const { time, answer } = aTeller()

  await time.advance(60_000)

  expect(answer()).toBe(false)
})

test('what the queue refuses is still waited for', async () => {
  const time = manualTime()
  const sink = { publish: async () => ['told-1'] }
  const told = confirmedEvents({ sink, subscriptions: { isKnown: true, wants: () => true }, timers: time.timers })
  let answer: boolean | undefined
  void told.tell(event, { add: () => true }).then((end) => (answer = end))

  await told.sink.publish([event])
  await time.advance(59_000)
  expect(answer).toBeUndefined()
  await time.advance(1_000)
  expect(answer).toBe(false)
})

test.each([
  ['that nobody wants needs not be told', { isWanted: false }, true],
  ['is to be told again while it is not known who wants it', { isKnown: false }, false],
])('an event %s', async (_what, given, expected) => {
  const { time, added, answer } = aTeller(given)
  await time.advance(0)

  expect(answer()).toBe(expected)
  expect(added).toEqual([])
})

test('an event that there is no room for is to be told again', async () => {
  const { time, answer } = aTeller({ hasRoom: false })
  await time.advance(0)

  expect(answer()).toBe(false)
})
