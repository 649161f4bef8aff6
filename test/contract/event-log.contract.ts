import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { opened } from '../support/opened.ts'
import { anEvent } from '../support/records.ts'
import type { StoreKind } from '../support/stores.ts'

const hour = 3_600_000

/** What every {@link EventLog} promises. */
export function eventLogContract(open: StoreKind['open']): void {
  const stores = opened(open)
  const aDomain = () => `${randomUUID()}.example.com`
  const eventsOf = (domain: string, count: number) =>
    Array.from({ length: count }, (_, index) => anEvent({ domain, id: `${randomUUID()}:${index}` }))

  test('events are numbered from one on, each domain for itself, and read back as they were', async () => {
    const { eventLog, clock } = stores()
    const [domain, other] = [aDomain(), aDomain()]
    const [first, second] = eventsOf(domain, 2)
    if (first === undefined || second === undefined) throw new Error('two events are needed')

    expect(await eventLog.head(domain)).toBe(0)
    expect(await eventLog.append(first)).toBe(1)
    expect(await eventLog.append(anEvent({ domain: other }))).toBe(1)
    expect(await eventLog.append(second)).toBe(2)

    const loggedAt = clock.now()
    const both = [
      { sequence: 1, loggedAt, event: first },
      { sequence: 2, loggedAt, event: second },
    ]
    expect(await eventLog.read(domain, 0, 10)).toEqual(both)
    expect(await eventLog.head(domain)).toBe(2)
    expect(await eventLog.head(`x${domain}`)).toBe(0)
  })

  test('an event that comes again gets the number of the first time, wherever it comes', async () => {
    const domain = aDomain()
    const [event, later] = eventsOf(domain, 2)
    if (event === undefined || later === undefined) throw new Error('two events are needed')
    await stores().eventLog.append(event)
    await stores().eventLog.append(later)

    stores().clock.move(25 * hour)

    expect(await stores().elsewhere.eventLog.append({ ...event, fields: { other: 'text' } })).toBe(1)
    expect(await stores().eventLog.head(domain)).toBe(2)
  })

  test('of many events at once each gets a number of its own, without a hole', async () => {
    const domain = aDomain()
    const events = eventsOf(domain, 12)
    const again = [...events, ...events.slice(0, 4)]

    const numbers = await Promise.all(
      again.map((event, index) => (index % 2 === 0 ? stores() : stores().elsewhere).eventLog.append(event)),
    )

    expect(numbers.slice(0, 12).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
    expect(numbers.slice(12)).toEqual(numbers.slice(0, 4))
  })

  test('a page holds what is above a number, and the latest are the last ones, both in rising order', async () => {
    const domain = aDomain()
    for (const event of eventsOf(domain, 5)) await stores().eventLog.append(event)
    const numbers = (found: readonly { sequence: number }[]) => found.map(({ sequence }) => sequence)

    expect(numbers(await stores().eventLog.read(domain, 2, 2))).toEqual([3, 4])
    expect(numbers(await stores().eventLog.read(domain, 5, 2))).toEqual([])
    expect(numbers(await stores().eventLog.latest(domain, 3))).toEqual([3, 4, 5])
    expect(numbers(await stores().eventLog.latest(domain, 50))).toEqual([1, 2, 3, 4, 5])
    expect(await stores().eventLog.latest(domain, 0)).toEqual([])
  })

  test('an event is there for a day, its number goes on being given to no other', async () => {
    const domain = aDomain()
    const [event, later] = eventsOf(domain, 2)
    if (event === undefined || later === undefined) throw new Error('two events are needed')
    await stores().eventLog.append(event)

    stores().clock.move(24 * hour + 1_000)

    expect(await stores().eventLog.read(domain, 0, 10)).toEqual([])
    expect(await stores().eventLog.latest(domain, 10)).toEqual([])
    expect(await stores().eventLog.append(later)).toBe(2)
  })

  test('an event that comes back from the dead letters after weeks has the number that it had', async () => {
    const domain = aDomain()
    const [event, later] = eventsOf(domain, 2)
    if (event === undefined || later === undefined) throw new Error('two events are needed')
    await stores().eventLog.append(event)
    await stores().eventLog.append(later)

    stores().clock.move(22 * 24 * hour)

    expect(await stores().eventLog.append(event)).toBe(1)
  })

  test('a reading is bounded by size, too, and holds one event however large it is', async () => {
    const domain = aDomain()
    const fields = { large: 'x'.repeat(190_000) }
    for (const { id } of eventsOf(domain, 8)) await stores().eventLog.append(anEvent({ domain, id, fields }))

    const found: number[] = []
    let readings = 0
    for (let part = await stores().eventLog.read(domain, 0, 100); part.length > 0; readings += 1) {
      expect(JSON.stringify(part).length).toBeLessThan(2 * 1024 * 1024)
      found.push(...part.map(({ sequence }) => sequence))
      part = await stores().eventLog.read(domain, found.at(-1) ?? 0, 100)
    }

    expect(found).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(readings).toBeGreaterThan(1)
    expect(await stores().eventLog.read(domain, 0, 1)).toHaveLength(1)
  })

  test('of an event that is too large for one item the long values are cut, and it says so', async () => {
    const { eventLog } = stores()
    const [event] = eventsOf(aDomain(), 1)
    if (event === undefined) throw new Error('an event is needed')
    const large = { ...event, fields: { ...event.fields, large: 'x'.repeat(900_000), short: 'kept' } }

    expect(await eventLog.append(large)).toBe(1)

    const [kept] = await eventLog.read(event.domain, 0, 9)
    expect(kept?.event).toMatchObject({ id: event.id, fields: { short: 'kept', Truncated: 'true' } })
    expect(JSON.stringify(kept?.event).length).toBeLessThan(210_000)
  })

  test('an event knows the time before it in which the domain may have had no hook', async () => {
    const { eventLog, clock } = stores()
    const [domain, made] = [aDomain(), clock.now()]
    const [first, second, third, fourth] = eventsOf(domain, 4)
    if (first === undefined || second === undefined || third === undefined || fourth === undefined) return
    clock.move(1_000)
    await eventLog.append(first, made)
    const last = clock.now()
    clock.move(60_000)
    await eventLog.append(second, made)
    await eventLog.append(third, last + 60_001)
    clock.move(60_000)
    await eventLog.append(fourth, last)

    const found = await eventLog.read(domain, 0, 10)

    expect(found.map(({ unwatched }) => unwatched)).toEqual([
      { from: 0, to: made },
      undefined,
      { from: last + 60_000, to: last + 60_001 },
      undefined,
    ])
  })
}
