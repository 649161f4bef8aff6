import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { ErasureJob } from '../../core/erasures/erasure.ts'
import { opened } from '../support/processes/opened.ts'
import { aDelivery, aHook, anErasure, anEvent } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

const day = 86_400_000

/** The contract of every {@link ErasureStore}, and of what finds the traces of events. */
export function erasureStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)
  const aJob = (given: Partial<ErasureJob> = {}) =>
    anErasure({ id: randomUUID(), createdAt: stores().clock.now(), ...given })

  test('an erasure is read back unchanged in its own domain only, and a repeated request leaves it as it is', async () => {
    const job = aJob()
    await stores().erasures.create(job)
    await stores().erasures.create({ ...job, step: 'exports' })

    expect(await stores().elsewhere.erasures.read(job)).toEqual(job)
    expect(await stores().erasures.read({ ...job, domain: 'b.example.com' })).toBeUndefined()
  })

  test('the progress of an erasure is stored, and a run that another one has overtaken is refused', async () => {
    const job = aJob()
    await stores().erasures.create(job)
    const next: ErasureJob = { ...job, state: 'running', step: 'events', after: 'log 1', version: 2 }

    expect(await stores().erasures.replace(next)).toBe(true)
    expect(await stores().erasures.replace({ ...next, step: 'exports' })).toBe(false)
    expect(await stores().erasures.read(job)).toEqual(next)
  })

  test('a finished erasure does not name its party any more', async () => {
    const job = aJob()
    await stores().erasures.create(job)
    const { party: _party, ...rest } = job
    await stores().erasures.replace({ ...rest, state: 'done', version: 2 })

    expect(await stores().erasures.read(job)).not.toHaveProperty('party')
  })

  test('an erasure and its marks are kept for 30 days', async () => {
    const job = aJob()
    await stores().erasures.create(job)
    await stores().erasures.mark(job.domain, ['kept'])
    stores().clock.move(30 * day - 1000)
    expect(await stores().erasures.read(job)).toBeDefined()
    expect(await stores().erasures.listMarked([{ domain: job.domain, uuid: 'kept' }])).toHaveLength(1)
    stores().clock.move(1000)

    expect(await stores().erasures.read(job)).toBeUndefined()
    expect(await stores().erasures.listMarked([{ domain: job.domain, uuid: 'kept' }])).toEqual([])
  })

  test('marks are found by domain and id', async () => {
    const marked = Array.from({ length: 30 }, (_, index) => `u|${index}`)
    await stores().erasures.mark('a.example.com', marked)

    const found = await stores().erasures.listMarked([
      { domain: 'a.example.com', uuid: 'u|3' },
      { domain: 'b.example.com', uuid: 'u|3' },
      { domain: 'a.example.com', uuid: 'u' },
    ])
    expect(found).toEqual([{ domain: 'a.example.com', uuid: 'u|3' }])
    expect(await stores().erasures.listMarked(marked.map((uuid) => ({ domain: 'a.example.com', uuid })))).toHaveLength(
      30,
    )
  })

  const pages = async <T>(read: (after?: string) => Promise<{ items: readonly T[]; next?: string | undefined }>) => {
    const found: T[] = []
    for (let after: string | undefined; ; ) {
      const page = await read(after)
      found.push(...page.items)
      after = page.next
      if (after === undefined) return found
    }
  }

  test('the events of a domain are listed wherever they are kept, and are gone after their removal', async () => {
    const domain = 'traces.example.com'
    const { eventLogWriter, eventLog, eventTraces, deliveries } = stores()
    const events = Array.from({ length: 120 }, (_, index) => anEvent({ domain, id: `event ${index}` }))
    const taken = await eventLogWriter.take(domain, events.length, 0)
    const entries = events.map((event, index) => ({
      event,
      sequence: taken.first + index,
      isWanted: false,
      deliveries: [],
    }))
    for (let at = 0; at < entries.length; at += 10) await eventLogWriter.write(taken, entries.slice(at, at + 10))
    const apart = [1, 2, 3].map((number) =>
      anEvent({ domain, id: `apart ${number}`, fields: { large: 'x'.repeat(250_000) } }),
    )
    for (const event of apart) await deliveries.keepEvent(event)
    await deliveries.keepEvent(anEvent({ domain: 'b.example.com', id: 'of another' }))

    const listed = await pages((after) => eventTraces.listEvents(domain, after))
    expect(listed.map(({ event }) => event.id).sort()).toEqual([...events, ...apart].map(({ id }) => id).sort())

    const removed = listed.filter(({ event }) => event.id !== 'event 7')
    await eventTraces.removeEvents(domain, removed)
    await eventTraces.removeEvents(domain, removed)
    const left = await pages((after) => eventTraces.listEvents(domain, after))
    expect(left.map(({ event }) => event.id)).toEqual(['event 7'])
    expect((await eventLog.read(domain, 0, 1000)).events.map(({ event }) => event.id)).toEqual(['event 7'])
    expect(await deliveries.readEvent({ domain, eventId: 'apart 1', sequence: 0 })).toBeUndefined()
    expect(await deliveries.readEvent({ domain: 'b.example.com', eventId: 'of another', sequence: 0 })).toBeDefined()
  })

  test('the deliveries of all hooks of a domain are listed, and are gone after their removal', async () => {
    const domain = 'deliveries.example.com'
    const { hooks, deliveries, eventTraces } = stores()
    const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(24))
    await hooks.create(
      ids.map((id) => aHook({ domain, id })),
      100,
    )
    const made = ids.flatMap((hookId) =>
      [1, 2].map((number) =>
        aDelivery({ domain, hookId, id: `msg_${number}`.padEnd(36, '0'), createdAt: stores().clock.now() }),
      ),
    )
    for (const delivery of made) await deliveries.create(delivery)
    await hooks.remove(aHook({ domain, id: 'c'.repeat(24) }))

    const listed = await pages((after) => eventTraces.listDeliveries(domain, after))
    expect(listed).toHaveLength(6)
    expect(await pages((after) => eventTraces.listDeliveries('b.example.com', after))).toEqual([])
    await eventTraces.removeDeliveries(listed.slice(0, 5))
    await eventTraces.removeDeliveries(listed.slice(0, 5))
    expect(await pages((after) => eventTraces.listDeliveries(domain, after))).toEqual(listed.slice(5))
  })
}
