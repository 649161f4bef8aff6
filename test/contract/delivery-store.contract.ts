import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Delivery, deliveryLimits } from '../../core/hooks/delivery/delivery.ts'
import type { AttemptOutcome, DeliveryRange } from '../../core/hooks/delivery/delivery-store.ts'
import { opened } from '../support/processes/opened.ts'
import { aDelivery, anEvent } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

const DAY_MS = 86_400_000

const attempt = { at: 1, durationMs: 10, status: 500, reason: 'status 500' }
const passing: AttemptOutcome = { attempt, state: 'pending', nextAttemptAt: 5_000 }
const success = { attempt: { at: 2, durationMs: 20, status: 200, replySnippet: 'thanks' }, state: 'delivered' } as const

/** A delivery of an event that is no longer in the log, or never was. */
const carried = ({ domain, id }: { domain: string; id: string }) => ({ domain, eventId: id, sequence: 0 })

/** The contract of every {@link DeliveryStore}. */
export function deliveryStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)
  const read = ({ domain, hookId, id }: Delivery) => stores().deliveries.read(domain, hookId, id)
  const stored = async (given: Parameters<typeof aDelivery>[0] = {}) => {
    const delivery = aDelivery(given)
    expect(await stores().deliveries.create(delivery)).toBe(true)
    return delivery
  }
  /** Begins a run and answers its name. */
  const begun = async (delivery: Delivery) => {
    const run = randomUUID()
    expect(await stores().deliveries.beginAttempt(delivery, run, 1)).toBe(true)
    return run
  }

  test('a delivery is read back unchanged, by its own domain and hook only', async () => {
    const delivery = await stored({
      attempts: [attempt, success.attempt],
      tries: 2,
      begun: { 'a run': 3 },
      requestId: 'r-1',
    })

    const { domain, hookId, id } = delivery
    expect(await stores().deliveries.read(domain, hookId, id)).toEqual(delivery)
    expect(await stores().deliveries.read('example.com', hookId, id)).toBeUndefined()
    expect(await stores().deliveries.read(domain, 'bbbbbbbbbbbbbbbbbbbbbbbb', id)).toBeUndefined()
  })

  test('one of many simultaneous writes of a delivery succeeds', async () => {
    const delivery = aDelivery()

    const written = await Promise.all(Array.from({ length: 8 }, () => stores().deliveries.create(delivery)))

    expect(written.filter(Boolean)).toHaveLength(1)
  })

  test('deliveries are written together, or none of them if one is there already', async () => {
    const [first, second, third] = [aDelivery(), aDelivery(), aDelivery()]

    expect(await stores().deliveries.createTogether([first, second])).toBe(true)
    expect(await stores().deliveries.createTogether([third, second])).toBe(false)

    expect(await read(first)).toEqual(first)
    expect(await read(second)).toEqual(second)
    expect(await read(third)).toBeUndefined()
  })

  test('the event of a delivery is read back unchanged, in its own domain only, and the first of one id stays', async () => {
    const plain = anEvent({ fields: { empty: '', 'odd|key': 'ü\u0000' } })
    const nested = { ...anEvent(), fields: { a: { b: [1, 'x', null, true, { c: {} }] }, empty: [] } }

    for (const event of [plain, nested]) await stores().deliveries.keepEvent(event)
    await stores().deliveries.keepEvent({ ...plain, fields: {} })

    expect(await stores().deliveries.readEvent(carried(plain))).toEqual(plain)
    expect(await stores().deliveries.readEvent(carried(nested))).toEqual(nested)
    expect(await stores().deliveries.readEvent(carried({ ...plain, domain: 'example.com' }))).toBeUndefined()
  })

  test('attempts are recorded in order, and each plans the next one or ends the delivery', async () => {
    const delivery = await stored()
    const { deliveries } = stores()

    const first = await begun(delivery)
    expect(await deliveries.recordAttempt(delivery, { run: first, ...passing })).toBe('decided')
    const waiting = { ...delivery, tries: 1, triedFor: delivery.nextAttemptAt, nextAttemptAt: 5_000 }
    expect(await read(delivery)).toEqual({ ...waiting, attempts: [attempt] })
    const second = await begun(waiting)
    expect(await deliveries.recordAttempt(waiting, { run: second, ...success })).toBe('decided')

    const { nextAttemptAt: _, ...ended } = delivery
    const attempts = [attempt, success.attempt]
    expect(await read(delivery)).toEqual({ ...ended, state: 'delivered', tries: 2, triedFor: 5_000, attempts })
  })

  test('a run that never reported its result stays recorded as begun, and a reported one does not', async () => {
    const delivery = await stored()
    const run = await begun(delivery)
    const lost = await begun(delivery)

    await stores().deliveries.recordAttempt(delivery, { run, ...passing })

    expect(await read(delivery)).toMatchObject({ begun: { [lost]: 1 } })
  })

  test('no attempt begins if the delivery has ended, was attempted or rescheduled meanwhile, or if too many runs of it died', async () => {
    const { deliveries } = stores()
    const [ended, tried, planned, killed] = [await stored(), await stored(), await stored(), await stored()]
    await deliveries.recordAttempt(ended, { ...success, state: 'delivered' })
    await deliveries.recordAttempt(tried, passing)
    await deliveries.reschedule(planned, 7)
    for (let runs = 0; runs < deliveryLimits.runs; runs += 1) await begun(killed)

    for (const delivery of [ended, tried, planned, killed]) {
      expect(await deliveries.beginAttempt(delivery, randomUUID(), 1)).toBe(false)
    }
  })

  test.each([
    ['pending', passing],
    ['failed', { attempt, state: 'failed' }],
    ['delivered', success],
    ['skipped', { attempt, state: 'skipped' }],
  ] as const)(
    'an attempt after one that left the delivery %s is listed, and only its success counts',
    async (state, end) => {
      const { deliveries } = stores()
      for (const late of [{ attempt: { at: 3, durationMs: 3 }, state: 'failed' } as const, success]) {
        const delivery = await stored({ domain: `second-attempt-${state}.test` })
        const [first, second] = [await begun(delivery), await begun(delivery)]
        expect(await deliveries.recordAttempt(delivery, { run: first, ...end })).toBe('decided')

        expect(await deliveries.recordAttempt(delivery, { run: second, ...late })).toBe('added')

        const after = await read(delivery)
        expect(after).toMatchObject({ attempts: [end.attempt, late.attempt], tries: 1, begun: {} })
        expect(after?.state).toBe(late.state === 'delivered' ? 'delivered' : state)
        expect(after?.nextAttemptAt).toBe(after?.state === 'pending' ? 5_000 : undefined)
      }
    },
  )

  test('one of many simultaneous runs decides the end of a delivery, and all are listed as attempts', async () => {
    const delivery = await stored()
    const runs = await Promise.all(Array.from({ length: 6 }, () => begun(delivery)))

    const recorded = await Promise.all(
      runs.map((run) => stores().deliveries.recordAttempt(delivery, { run, attempt, state: 'failed' })),
    )

    expect(recorded.filter((each) => each === 'decided')).toHaveLength(1)
    expect((await read(delivery))?.attempts).toHaveLength(6)
  })

  test('the attempts of several deliveries are recorded together', async () => {
    const made = [await stored(), await stored(), await stored()]
    const outcomes: AttemptOutcome[] = [success, passing, { attempt, state: 'failed' }]
    const attempts = await Promise.all(
      made.map(async (delivery, index) => {
        const run = await begun(delivery)
        return { delivery, outcome: { ...(outcomes[index] ?? success), run } }
      }),
    )

    expect(await stores().deliveries.recordTogether(attempts)).toBe(true)

    const [delivered, pending, failed] = await Promise.all(made.map(read))
    expect(delivered).toMatchObject({ state: 'delivered', tries: 1, begun: {}, attempts: [success.attempt] })
    expect(delivered).not.toHaveProperty('nextAttemptAt')
    expect(pending).toMatchObject({ state: 'pending', tries: 1, begun: {}, nextAttemptAt: 5_000 })
    expect(failed).toMatchObject({ state: 'failed', tries: 1, begun: {} })
  })

  test('no attempt of several deliveries is recorded if one of the deliveries has changed meanwhile', async () => {
    const [moved, other] = [await stored(), await stored()]
    const attempts = await Promise.all(
      [moved, other].map(async (delivery) => ({ delivery, outcome: { ...success, run: await begun(delivery) } })),
    )
    await stores().deliveries.recordAttempt(moved, passing)

    expect(await stores().deliveries.recordTogether(attempts)).toBe(false)

    expect(await read(moved)).toMatchObject({ state: 'pending', attempts: [attempt] })
    expect(await read(other)).toMatchObject({ state: 'pending', attempts: [], tries: 0 })
    for (const { delivery, outcome } of attempts) await stores().deliveries.recordAttempt(delivery, outcome)
    expect(await read(other)).toMatchObject({ state: 'delivered' })
  })

  test('a run is recorded once however often it is reported, and the number of recorded attempts is limited', async () => {
    const delivery = await stored({ attempts: Array.from({ length: deliveryLimits.attempts - 1 }, () => attempt) })
    const runs = [await begun(delivery), await begun(delivery), await begun(delivery)]

    for (const run of [...runs, ...runs]) {
      await stores().deliveries.recordAttempt(delivery, { run, attempt, state: 'failed' })
    }

    const after = await read(delivery)
    expect(after).toMatchObject({ state: 'failed', begun: {} })
    expect(after?.attempts).toHaveLength(deliveryLimits.attempts)
  })

  test('an attempt of a delivery that is not there is not recorded', async () => {
    const delivery = aDelivery()

    expect(await stores().deliveries.beginAttempt(delivery, 'run', 1)).toBe(false)
    expect(await stores().deliveries.recordAttempt(delivery, { attempt, state: 'failed' })).toBe('gone')
    expect(await read(delivery)).toBeUndefined()
  })

  test('one of many simultaneous attempts to reschedule a delivery succeeds', async () => {
    const delivery = await stored()

    const planned = await Promise.all([1, 2, 3, 4].map((at) => stores().deliveries.reschedule(delivery, 10 + at)))

    expect(planned.filter(Boolean)).toHaveLength(1)
    expect((await read(delivery))?.nextAttemptAt).toBe(11 + planned.indexOf(true))
  })

  test('an ended delivery cannot be rescheduled', async () => {
    const delivery = await stored()
    await stores().deliveries.recordAttempt(delivery, success)

    expect(await stores().deliveries.reschedule(delivery, 9)).toBe(false)
  })

  test.each(['delivered', 'failed', 'skipped'] as const)(
    'a %s delivery is opened again, with all its attempts',
    async (state) => {
      const delivery = await stored({ domain: `reopen-${state}.test` })
      const { domain } = delivery
      await stores().deliveries.recordAttempt(delivery, { attempt, state })

      const opened = await stores().deliveries.reopen({ ...delivery, tries: 1 }, 77)

      const expected = {
        ...delivery,
        state: 'pending',
        attempts: [attempt],
        tries: 1,
        earlierTries: 1,
        triedFor: delivery.nextAttemptAt,
        nextAttemptAt: 77,
      }
      expect(opened).toEqual(expected)
      expect(await read(delivery)).toEqual(expected)
      expect((await stores().deliveries.listDue(78, 100)).deliveries).toContainEqual(expected)
      expect(await stores().deliveries.listFailed(domain, 9)).toEqual([])
    },
  )

  test('reopening a delivery records its killed runs as interrupted attempts and keeps the runs under way', async () => {
    const now = stores().clock.now()
    const delivery = await stored()
    for (const [run, at] of [
      ['killed', now - 60_000],
      ['long ago', now - 90_000],
      ['under way', now - 59_999],
    ] as const) {
      await stores().deliveries.beginAttempt(delivery, run, at)
    }
    await stores().deliveries.recordAttempt(delivery, { attempt, state: 'failed' })
    const ended = await read(delivery)
    if (ended === undefined) throw new Error('it was stored')

    expect(await stores().deliveries.reopen({ ...ended, begun: {} }, now), 'not as given').toBeUndefined()
    expect(await stores().deliveries.reopen({ ...ended, tries: 2 }, now), 'not as given').toBeUndefined()
    const opened = await stores().deliveries.reopen(ended, now)

    expect(opened?.begun).toEqual({ 'under way': now - 59_999 })
    expect(opened?.attempts).toHaveLength(3)
    expect(opened?.attempts).toEqual(
      expect.arrayContaining([
        attempt,
        { at: now - 60_000, durationMs: 0, reason: 'interrupted' },
        { at: now - 90_000, durationMs: 0, reason: 'interrupted' },
      ]),
    )
    expect(await read(delivery)).toEqual(opened)
  })

  test('a delivery is not reopened while it is pending, if it does not exist, or if it has too many attempts', async () => {
    const pending = await stored()
    const long = await stored({ attempts: Array.from({ length: deliveryLimits.reopened }, () => attempt) })
    await stores().deliveries.recordAttempt(long, success)

    for (const delivery of [pending, { ...long, tries: 1 }, aDelivery()]) {
      expect(await stores().deliveries.reopen(delivery, 1)).toBeUndefined()
    }
  })

  test('overdue deliveries are found over all domains and pages, the longest overdue first, and no others', async () => {
    const made: Delivery[] = []
    for (let age = 0; age < 30; age += 1) {
      made.push(await stored({ nextAttemptAt: 1_000 + Math.floor(age / 3), domain: `due-${age % 4}.test` }))
    }
    const [ended] = made
    if (ended === undefined) throw new Error('thirty were made')
    await stores().deliveries.recordAttempt(ended, { attempt, state: 'failed' })
    await stored({ nextAttemptAt: 1_010 })

    const all: Delivery[] = []
    for (let page = await due(); page.length > 0; page = await due(all.at(-1))) all.push(...page)

    // Other tests leave overdue ones, too.
    const found = all.filter(({ domain }) => domain.startsWith('due-'))
    const inOrder = made.slice(1).sort((a, b) => (a.nextAttemptAt ?? 0) - (b.nextAttemptAt ?? 0))
    const ids = found.map(({ id }) => id)
    expect(new Set(ids)).toEqual(new Set(inOrder.map(({ id }) => id)))
    expect(ids).toHaveLength(29)
    expect(found.map(({ nextAttemptAt }) => nextAttemptAt)).toEqual(inOrder.map(({ nextAttemptAt }) => nextAttemptAt))

    async function due(after?: Delivery) {
      const { deliveries: page, unreadable } = await stores().deliveries.listDue(1_010, 7, after)
      expect(page.length).toBeLessThanOrEqual(7)
      expect(unreadable).toEqual([])
      return page
    }
  })

  test('the dead letters of a domain are found, the newest event first, page by page', async () => {
    const ids = ['msg_1', 'msg_2', 'msg_3', 'msg_4']
    for (const id of ids) {
      const delivery = await stored({ id, domain: 'dead.test', hookId: id.padEnd(24, 'a') })
      if (id !== 'msg_2') await stores().deliveries.recordAttempt(delivery, { attempt, state: 'failed' })
    }

    const first = await stores().deliveries.listFailed('dead.test', 2)
    const second = await stores().deliveries.listFailed('dead.test', 2, first.at(-1))

    expect(first).toMatchObject([{ id: 'msg_4', attempts: [attempt] }, { id: 'msg_3' }])
    expect(second).toMatchObject([{ id: 'msg_1' }])
  })

  test('a delivery is deleted after thirty days, and its event after seven', async () => {
    const delivery = await stored({ createdAt: stores().clock.now() })
    const event = anEvent()
    await stores().deliveries.keepEvent(event)

    stores().clock.move(7 * DAY_MS)

    expect(await stores().deliveries.readEvent(carried(event))).toBeUndefined()
    expect(await read(delivery)).toEqual(delivery)
    stores().clock.move(23 * DAY_MS)
    expect(await read(delivery)).toBeUndefined()
    expect(await stores().deliveries.recordAttempt(delivery, { attempt, state: 'failed' })).toBe('gone')
  })

  test.each([
    ['200 KB', 'x'.repeat(200 * 1024 - 8)],
    ['more than 200 KB', 'x'.repeat(200 * 1024)],
    ['950 KB of all kinds of characters', 'ü🙂"\u0000'.repeat(60_000)],
  ])('the events of deliveries are kept whole for seven days: %s', async (_title, value) => {
    const event = { ...anEvent({ domain: 'large.test' }), fields: { v: value, nested: { list: [1, null, 'a'] } } }
    await stores().deliveries.keepEvent(event)
    await stores().deliveries.keepEvent(event)

    expect(await stores().deliveries.readEvent(carried(event))).toEqual(event)
    expect(await stores().elsewhere.deliveries.readEvent(carried({ ...event, domain: 'other.test' }))).toBeUndefined()
    stores().clock.move(7 * DAY_MS)
    expect(await stores().deliveries.readEvent(carried(event))).toBeUndefined()
  })

  test('the deliveries of a hook are listed in the order of their ids, from either end and after any id', async () => {
    const ids = [3, 1, 4, 2].map((number) => `msg_${String(number).repeat(32)}`)
    const hook = { domain: 'list.test', hookId: 'c'.repeat(24), createdAt: stores().clock.now() }
    for (const id of ids) await stored({ ...hook, id })
    await stored({ ...hook, hookId: 'd'.repeat(24) })
    await stored({ ...hook, domain: 'list.test.org' })
    const list = async (range: DeliveryRange) => {
      const found = await stores().deliveries.list(hook.domain, hook.hookId, range)
      return found.map(({ id }) => id.at(-1)).join('')
    }

    expect(await list({ newestFirst: true, limit: 9 })).toBe('4321')
    expect(await list({ newestFirst: false, limit: 9 })).toBe('1234')
    expect(await list({ newestFirst: true, limit: 2 })).toBe('43')
    expect(await list({ newestFirst: true, limit: 2, after: ids[0] })).toBe('21')
    expect(await list({ newestFirst: false, limit: 1, after: ids[0] })).toBe('4')
    expect(await list({ newestFirst: false, limit: 9, after: 'msg_25' })).toBe('34')
    expect(await list({ newestFirst: true, limit: 9, after: ids[1] })).toBe('')
    expect(await stores().deliveries.list(hook.domain, 'none', { newestFirst: true, limit: 9 })).toEqual([])
  })

  test('the list of deliveries goes past one page of the store and skips expired ones', async () => {
    const hook = { domain: 'pages.test', hookId: 'c'.repeat(24) }
    const attempts = Array.from({ length: 60 }, () => ({ ...attempt, replySnippet: 'x'.repeat(1024) }))
    const createdAt = stores().clock.now()
    const made = []
    for (let index = 0; index < 25; index += 1) {
      const isOld = index % 5 === 0
      const id = `msg_${index.toString(16).padStart(32, '0')}`
      made.push(await stored({ ...hook, id, attempts, createdAt: isOld ? createdAt - 31 * DAY_MS : createdAt }))
    }

    const found = await stores().deliveries.list(hook.domain, hook.hookId, { newestFirst: false, limit: 20 })

    expect(found).toEqual(made.filter((_, index) => index % 5 !== 0))
  })
}
