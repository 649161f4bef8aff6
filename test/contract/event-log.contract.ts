import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import { aDelivery, anEvent } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'
import { logEvent, logEvents } from '../support/hooks/logged-events.ts'

const hour = 3_600_000

/** The contract of every {@link EventLog}. */
export function eventLogContract(open: StoreKind['open']): void {
  const stores = opened(open)
  const aDomain = () => `${randomUUID()}.example.com`
  const eventsOf = (domain: string, count: number) =>
    Array.from({ length: count }, (_, index) => anEvent({ domain, id: `${randomUUID()}:${index}` }))

  test('events are numbered from one on, each domain for itself, and read back as they were', async () => {
    const { eventLog, eventLogWriter, clock } = stores()
    const [domain, other] = [aDomain(), aDomain()]
    const [first, second] = eventsOf(domain, 2)
    if (first === undefined || second === undefined) throw new Error('two events are needed')

    expect(await eventLog.head(domain)).toBe(0)
    expect(await logEvent(eventLogWriter, first)).toBe(1)
    expect(await logEvent(eventLogWriter, anEvent({ domain: other }))).toBe(1)
    expect(await logEvent(eventLogWriter, second)).toBe(2)

    const loggedAt = clock.now()
    const both = [
      { sequence: 1, loggedAt, event: first },
      { sequence: 2, loggedAt, event: second },
    ]
    expect(await eventLog.read(domain, 0, 10)).toEqual({ events: both, voids: [], upTo: 2 })
    expect(await eventLog.head(domain)).toBe(2)
    expect(await eventLog.head(`x${domain}`)).toBe(0)
  })

  test('a repeated event keeps its first number, whichever process writes it, and the number taken for the repetition is void', async () => {
    const domain = aDomain()
    const [event, later] = eventsOf(domain, 2)
    if (event === undefined || later === undefined) throw new Error('two events are needed')
    await logEvent(stores().eventLogWriter, event)
    await logEvent(stores().eventLogWriter, later)

    stores().clock.move(25 * hour)

    expect(await logEvent(stores().elsewhere.eventLogWriter, { ...event, fields: { other: 'text' } })).toBe(1)
    expect(await stores().eventLog.head(domain)).toBe(3)
    expect(await stores().eventLog.read(domain, 0, 10)).toEqual({ events: [], voids: [3], upTo: 3 })
  })

  test('events written together are numbered in their order, and one that is already in the log keeps its number', async () => {
    const { eventLog, eventLogWriter } = stores()
    const domain = aDomain()
    const [first, second, third, fourth] = eventsOf(domain, 4)
    if (first === undefined || second === undefined || third === undefined || fourth === undefined) return
    await logEvents(eventLogWriter, [first, second])

    expect(await logEvents(stores().elsewhere.eventLogWriter, [third, second, fourth])).toEqual([3, 2, 5])

    const { events, voids } = await eventLog.read(domain, 0, 10)
    expect(events.map(({ sequence, event }) => [sequence, event.id])).toEqual([
      [1, first.id],
      [2, second.id],
      [3, third.id],
      [5, fourth.id],
    ])
    expect(voids).toEqual([4])
  })

  test('each of many simultaneous events gets a number of its own, and every other number is void', async () => {
    const domain = aDomain()
    const events = eventsOf(domain, 12)
    const again = [...events, ...events.slice(0, 4)]

    const numbers = await Promise.all(
      again.map((event, index) => logEvent((index % 2 === 0 ? stores() : stores().elsewhere).eventLogWriter, event)),
    )

    expect(new Set(numbers).size).toBe(12)
    expect(numbers.slice(12)).toEqual(numbers.slice(0, 4))
    const { events: found, voids, upTo } = await stores().eventLog.read(domain, 0, 100)
    expect(found.map(({ sequence }) => sequence)).toEqual(numbers.slice(0, 12).toSorted((a, b) => a - b))
    expect(upTo).toBe(16)
    expect(voids).toHaveLength(4)
  })

  test('a delivery is written together with its event and under its number, and a repeated event creates none', async () => {
    const { eventLogWriter, deliveries } = stores()
    const domain = aDomain()
    const [event] = eventsOf(domain, 1)
    if (event === undefined) throw new Error('an event is needed')
    const write = async (id: string) => {
      const taken = await eventLogWriter.take(domain, 1, 0)
      const delivery = aDelivery({ domain, id, event })
      await eventLogWriter.write(taken, [{ event, sequence: taken.first, isWanted: true, deliveries: [delivery] }])
      return deliveries.read(domain, delivery.hookId, id)
    }

    expect(await write('msg_first')).toMatchObject({ eventId: event.id, state: 'pending' })
    expect(await write('msg_second')).toBeUndefined()
    expect(await deliveries.readEvent({ domain, eventId: event.id, sequence: 1 })).toEqual(event)
  })

  test('a page of events follows a given number, and the latest page has the last ones; both are in ascending order', async () => {
    const domain = aDomain()
    for (const event of eventsOf(domain, 5)) await logEvent(stores().eventLogWriter, event)
    const numbers = (found: readonly { sequence: number }[]) => found.map(({ sequence }) => sequence)

    expect(numbers((await stores().eventLog.read(domain, 2, 2)).events)).toEqual([3, 4])
    expect(await stores().eventLog.read(domain, 5, 2)).toEqual({ events: [], voids: [], upTo: 5 })
    expect(numbers(await stores().eventLog.latest(domain, 3))).toEqual([3, 4, 5])
    expect(numbers(await stores().eventLog.latest(domain, 50))).toEqual([1, 2, 3, 4, 5])
    expect(await stores().eventLog.latest(domain, 0)).toEqual([])
  })

  test('an event can be read for a day, and its number is never given to another event', async () => {
    const domain = aDomain()
    const [event, later] = eventsOf(domain, 2)
    if (event === undefined || later === undefined) throw new Error('two events are needed')
    await logEvent(stores().eventLogWriter, event)

    stores().clock.move(24 * hour + 1_000)

    expect(await stores().eventLog.read(domain, 0, 10)).toEqual({ events: [], voids: [], upTo: 1 })
    expect(await stores().eventLog.latest(domain, 10)).toEqual([])
    expect(await logEvent(stores().eventLogWriter, later)).toBe(2)
  })

  test('an event that is redriven from the dead-letter queue after weeks keeps its number', async () => {
    const domain = aDomain()
    const [event, later] = eventsOf(domain, 2)
    if (event === undefined || later === undefined) throw new Error('two events are needed')
    await logEvent(stores().eventLogWriter, event)
    await logEvent(stores().eventLogWriter, later)

    stores().clock.move(22 * 24 * hour)

    expect(await logEvent(stores().eventLogWriter, event)).toBe(1)
  })

  test('a page of events is limited by size, too, but contains at least one event however large it is', async () => {
    const domain = aDomain()
    const fields = { large: 'x'.repeat(190_000) }
    for (const { id } of eventsOf(domain, 8)) await logEvent(stores().eventLogWriter, anEvent({ domain, id, fields }))

    const found: number[] = []
    let readings = 0
    for (let part = await stores().eventLog.read(domain, 0, 100); part.events.length > 0; readings += 1) {
      expect(JSON.stringify(part).length).toBeLessThan(2 * 1024 * 1024)
      found.push(...part.events.map(({ sequence }) => sequence))
      part = await stores().eventLog.read(domain, part.upTo, 100)
    }

    expect(found).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(readings).toBeGreaterThan(1)
    expect((await stores().eventLog.read(domain, 0, 1)).events).toHaveLength(1)
  })

  test('an event that is too large for one item is stored with its long values cut, and is marked as cut', async () => {
    const { eventLog, eventLogWriter } = stores()
    const [event] = eventsOf(aDomain(), 1)
    if (event === undefined) throw new Error('an event is needed')
    const large = { ...event, fields: { ...event.fields, large: 'x'.repeat(900_000), short: 'kept' } }

    expect(await logEvent(eventLogWriter, large)).toBe(1)

    const [kept] = (await eventLog.read(event.domain, 0, 9)).events
    expect(kept?.event).toMatchObject({ id: event.id, fields: { short: 'kept', Truncated: 'true' } })
    expect(JSON.stringify(kept?.event).length).toBeLessThan(210_000)
  })

  test('an event records the time before it during which the domain may have had no hook', async () => {
    const { eventLog, eventLogWriter, clock } = stores()
    const [domain, made] = [aDomain(), clock.now()]
    const [first, second, third, fourth] = eventsOf(domain, 4)
    if (first === undefined || second === undefined || third === undefined || fourth === undefined) return
    clock.move(1_000)
    await logEvent(eventLogWriter, first, made)
    const last = clock.now()
    clock.move(60_000)
    await logEvent(eventLogWriter, second, made)
    await logEvent(eventLogWriter, third, last + 60_001)
    clock.move(60_000)
    await logEvent(eventLogWriter, fourth, last)

    const { events: found } = await eventLog.read(domain, 0, 10)

    expect(found.map(({ unwatched }) => unwatched)).toEqual([
      { from: 0, to: made },
      undefined,
      { from: last + 60_000, to: last + 60_001 },
      undefined,
    ])
  })

  test('a delivery whose first attempt has begun is not listed as due until it is rescheduled', async () => {
    const { eventLogWriter, deliveries } = stores()
    const domain = aDomain()
    const [event] = eventsOf(domain, 1)
    if (event === undefined) throw new Error('an event is needed')
    const taken = await eventLogWriter.take(domain, 1, 0)
    const waiting = aDelivery({ domain, event, nextAttemptAt: 3 })
    const begun = aDelivery({ domain, event, nextAttemptAt: 3, begun: { 'a run': 1 } })
    const entry = { event, sequence: taken.first, isWanted: true, deliveries: [waiting, begun] }
    await eventLogWriter.write(taken, [entry])
    const due = async () => {
      const page = await deliveries.listDue(5, 1_000)
      return page.deliveries.filter((each) => each.domain === domain).map(({ id }) => id)
    }

    expect(await deliveries.read(domain, begun.hookId, begun.id)).toEqual(begun)
    expect(await due()).toEqual([waiting.id])
    expect(await deliveries.reschedule(begun, 4)).toBe(true)
    expect(await due()).toEqual([waiting.id, begun.id])
  })
}
