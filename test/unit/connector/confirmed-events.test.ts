import { expect, test } from 'vitest'
import { memoryEventSink } from '../../support/memory/memory-event-sink.ts'
import { confirmedEvents } from '../../../connector/events/confirmed-events.ts'
import { serviceEvent } from '../../../core/events/service-event.ts'
import { manualTime } from '../../support/processes/manual-time.ts'

const event = serviceEvent({
  kind: 'recording_stored',
  id: 'event-1',
  domain: 'a.example.com',
  occurredAt: 1,
  fields: {},
})

/** A buffer that hands over when the test says so. */
function aTeller(given: { isKnown?: boolean; isWanted?: boolean; hasRoom?: boolean } = {}) {
  const { isKnown = true, isWanted = true, hasRoom = true } = given
  const time = manualTime()
  const sink = memoryEventSink()
  const confirmed = confirmedEvents({ sink, subscriptions: { isKnown, wants: () => isWanted }, timers: time.timers })
  const added: string[] = []
  const buffer = {
    tell: ({ id }: { readonly id: string }) => {
      added.push(id)
      return hasRoom
    },
  }
  let answer: boolean | undefined
  void confirmed.tell(event, buffer).then((end) => (answer = end))
  return { time, confirmed, added, answer: () => answer }
}

test('an event is confirmed when the queue has accepted it', async () => {
  const { time, confirmed, answer } = aTeller()
  await time.advance(1_000)
  expect(answer()).toBeUndefined()

  await confirmed.sink.publish([event])
  await time.advance(0)

  expect(answer()).toBe(true)
})

test('an event that the queue does not accept within a minute has to be sent again', async () => {
  const { time, answer } = aTeller()

  await time.advance(60_000)

  expect(answer()).toBe(false)
})

test('an event that the queue refuses stays unconfirmed until its minute is over', async () => {
  const time = manualTime()
  const sink = { publish: async () => ['event-1'] }
  const confirmed = confirmedEvents({ sink, subscriptions: { isKnown: true, wants: () => true }, timers: time.timers })
  let answer: boolean | undefined
  void confirmed.tell(event, { tell: () => true }).then((end) => (answer = end))

  await confirmed.sink.publish([event])
  await time.advance(59_000)
  expect(answer).toBeUndefined()
  await time.advance(1_000)
  expect(answer).toBe(false)
})

test.each([
  ['that no hook wants need not be sent', { isWanted: false }, true],
  ['has to be sent again while the subscriptions are unknown', { isKnown: false }, false],
])('an event %s', async (_what, given, expected) => {
  const { time, added, answer } = aTeller(given)
  await time.advance(0)

  expect(answer()).toBe(expected)
  expect(added).toEqual([])
})

test('an event that the buffer has no room for has to be sent again', async () => {
  const { time, answer } = aTeller({ hasRoom: false })
  await time.advance(0)

  expect(answer()).toBe(false)
})
