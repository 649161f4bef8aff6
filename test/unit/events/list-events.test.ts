import { beforeEach, describe, expect, it } from 'vitest'
import type { Account } from '../../../core/accounts/account.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import { handler as listEvents } from '../../../functions/events/list-events.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { aGap, aHook, aReport, anEvent } from '../../support/records/records.ts'
import { logEvent } from '../../support/hooks/logged-events.ts'

const domain = 'a.example.com'
const hour = 3_600_000

let api: Api
let admin: Account
/** When the domain's hook was made. */
let start: number

beforeEach(async () => {
  api = anApi()
  start = api.clock.now()
  admin = await api.account({ role: 'admin' })
  await api.ports.hooks.create([aHook({ domain, createdAt: start })], 100)
})

/** Asks with a token of the moment: days may have passed. */
const ask = async (query = '') => api.call(listEvents, { headers: { ...(await api.as(admin)) }, query })
const list = async (query = '') => (await ask(query)).body
const data = async (query = '') => (await list(query)).data
const sequences = ({ events }: { events: readonly { sequence: number }[] }) => events.map(({ sequence }) => sequence)

/** Numbers events, one a second. */
async function log(count: number, given: Partial<PlatformEvent> = {}, watchedSince = start): Promise<PlatformEvent[]> {
  const events = Array.from({ length: count }, () => anEvent({ domain, ...given }))
  for (const event of events) {
    await logEvent(api.ports.eventLogWriter, event, watchedSince)
    api.clock.move(1_000)
  }
  return events
}

/** Records a gap of the last `seconds`, or as given. */
const gap = async (seconds: number, given: Parameters<typeof aGap>[0] = {}) => {
  const to = api.clock.now()
  await api.ports.gaps.record(aGap({ from: to - seconds * 1000, to, ...given }))
}

describe('the list of events', () => {
  it('the list of events shows each event with its number, from the oldest on', async () => {
    const [first, second] = await log(2)

    expect(await list()).toEqual({
      status: 'OK',
      data: {
        events: [first, second].map((event, index) => ({
          sequence: index + 1,
          at: event?.occurredAt,
          name: 'CHANNEL_CREATE',
          uuid: event?.uuid,
          event: event?.fields,
        })),
        gaps: [],
        head: 2,
        next: 2,
        more: false,
        isCollected: true,
      },
    })
  })

  it('the list of events can be followed by `next`, page by page, and returns each event once', async () => {
    await log(5)

    const first = await data('limit=2')
    const second = await data(`limit=2&since=${first.next}`)
    const third = await data(`limit=2&since=${second.next}`)
    const end = await data(`limit=2&since=${third.next}`)

    expect([first, second, third, end].map(sequences)).toEqual([[1, 2], [3, 4], [5], []])
    expect([first, second, third, end].map(({ more }) => more)).toEqual([true, true, false, false])
    expect(end).toMatchObject({ head: 5, next: 5, gaps: [] })
  })

  it('the head of a page is no less than its next if an event is numbered while the page is read', async () => {
    await log(1)
    const { eventLog } = api.ports
    const head = async (of: string) => {
      const before = await eventLog.head(of)
      await log(1)
      return before
    }

    const { body } = await api.with({ eventLog: { ...eventLog, head } }).call(listEvents, {
      headers: { ...(await api.as(admin)) },
    })

    expect(sequences(body.data)).toEqual([1, 2])
    expect(body.data).toMatchObject({ head: 2, next: 2, more: false })
  })

  it('a page that contains only the last event ends the list of events', async () => {
    await log(2)

    expect(await data('limit=2')).toMatchObject({ next: 2, more: false })
  })

  it('a page of the list of events fits into a response, and has at least one event', async () => {
    await log(16, { fields: { large: '"'.repeat(95_000) } })
    const first = await ask()

    expect(Buffer.byteLength(JSON.stringify(first.text))).toBeLessThan(6 * 1024 * 1024)
    const { next, more } = first.body.data
    expect([next, more]).toEqual([7, true])
    expect(sequences(await data('since=7'))).toEqual([8, 9, 10, 11, 12, 13, 14])
    expect(sequences(await data('since=15&limit=1'))).toEqual([16])
  })

  it('the list of events has the events of its own domain only', async () => {
    await logEvent(api.ports.eventLogWriter, anEvent({ domain: 'b.a.example.com' }), start)
    await log(1)

    expect(sequences(await data())).toEqual([1])
    expect((await data()).events[0].event['Event-Domain']).toBe(domain)
  })

  it('the list of events of a domain without hooks is empty, and says how to fill it', async () => {
    const other = { ...(await api.as(await api.account({ domain: 'b.example.com', role: 'admin' }))) }

    const { body } = await api.call(listEvents, { headers: other })

    expect(body).toEqual({
      status: 'OK',
      info: expect.stringContaining('POST /api/v2/hooks'),
      data: { events: [], gaps: [], head: 0, next: 0, more: false, isCollected: false },
    })
  })

  it('the list of events shows the kept events of a domain whose hooks were removed', async () => {
    await log(1)
    const [hook] = await api.ports.hooks.list(domain)
    if (hook !== undefined) await api.ports.hooks.remove(hook)

    expect(await data()).toMatchObject({ events: [{ sequence: 1 }], isCollected: false })
  })

  it('the list of events refuses a number that the domain has not reached, and names the way out', async () => {
    await log(2)

    const { status, body } = await ask('since=3')

    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'invalid_field', details: [{ field: 'since' }] })
    expect(body.info).toContain('at most 2')
  })

  it.each(['since=-1', 'since=1.5', 'since=', 'since=1e3', `since=${'9'.repeat(16)}`, 'limit=0', 'limit=1001'])(
    'refuses %s',
    async (query) => {
      expect(await ask(query)).toMatchObject({
        status: 400,
        body: { code: 'invalid_field' },
      })
    },
  )
})

describe('numbers that are not kept', () => {
  const notKept = (fromSequence: number, toSequence: number) => ({
    kind: 'numbers',
    reason: 'not_kept',
    fromSequence,
    toSequence,
  })

  it('numbers that are no longer kept are a gap at the beginning of the list of events', async () => {
    await log(2)
    api.clock.move(23 * hour)
    await log(1)
    api.clock.move(hour)

    expect(await data()).toMatchObject({ events: [{ sequence: 3 }], gaps: [notKept(1, 2)], next: 3 })
    expect((await data('since=1')).gaps).toEqual([notKept(2, 2)])
    expect((await data('since=2')).gaps).toEqual([])
  })

  it('numbers of expired events are distinguished from numbers that no event ever had', async () => {
    const [first] = await log(2)
    if (first === undefined) throw new Error('two events are needed')
    await logEvent(api.ports.eventLogWriter, first, start)
    await api.ports.eventLogWriter.take(domain, 1, start)
    await log(1)
    api.clock.move(24 * hour - 5_000)
    await log(1)
    api.clock.move(3_000)

    const page = await data()

    expect(sequences(page)).toEqual([6])
    const isVoid = { kind: 'numbers', reason: 'void', fromSequence: 3, toSequence: 4 }
    expect(page.gaps).toEqual([notKept(1, 2), isVoid, notKept(5, 5)])
  })

  it('expired numbers are a gap to the end of the list if no event is left', async () => {
    await log(3)
    api.clock.move(24 * hour)

    expect(await data('since=1')).toMatchObject({ events: [], gaps: [notKept(2, 3)], head: 3, next: 3, more: false })
    expect((await data('since=3')).gaps).toEqual([])
  })

  it('events before the newest 5 000 numbers are no longer kept', async () => {
    await log(5_003)

    const page = await data('since=1&limit=1')
    expect(page).toMatchObject({ events: [{ sequence: 4 }], gaps: [notKept(2, 3)], head: 5_003, next: 4, more: true })
  })

  it('every page of the list of events accounts for each of its numbers, whatever was removed', async () => {
    await log(40)
    const kept = api.ports.state.eventLogs.get(domain)?.events ?? []
    kept.splice(0, kept.length, ...kept.filter(({ sequence }) => sequence % 7 !== 0 && sequence < 39))

    const accounted: number[] = []
    let since = 0
    for (let pages = 0; pages < 20 && since < 40; pages += 1) {
      const page = await data(`limit=5&since=${since}`)
      accounted.push(...sequences(page))
      for (const { fromSequence, toSequence } of page.gaps) {
        for (let number = fromSequence; number <= toSequence; number += 1) accounted.push(number)
      }
      since = page.next
    }

    expect(accounted.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
  })
})

describe('times in which events may have been missed', () => {
  it.each([
    ['closed', 'engine_link_lost'],
    ['overflow', 'engine_link_lost'],
    ['a word with 192.0.2.7 in it', 'engine_link_lost'],
    ['engine-restarted', 'engine_restarted'],
    ['connector-killed', 'connector_ended'],
    ['connector-stopped', 'connector_ended'],
    ['dropped', 'events_dropped'],
    ['spool-lost', 'events_dropped'],
    ['queue-lost', 'events_dropped'],
    ['unreadable', 'events_unreadable'],
  ])('a time gap is listed with its reason: %s is %s', async (reason, shown) => {
    await log(1)
    const dropped = shown.startsWith('events') ? { dropped: { class: 'calls', count: 31_337 } } : {}
    await gap(2, { reason, ...dropped })

    expect((await data('since=1')).gaps).toMatchObject([{ kind: 'time', reason: shown }])
  })

  it('a gap that begins and ends within a millisecond is listed in whole milliseconds, and is not shortened', async () => {
    await log(1)
    const now = api.clock.now()
    await gap(2, { from: now - 5.123, to: now + 0.4 })

    const answer = await ask('since=1')

    expect([answer.status, answer.body.data?.gaps]).toMatchObject([200, [{ from: now - 1_006, to: now + 1_001 }]])
  })

  it('a time gap is listed a second longer on either side than recorded, since clocks of engines and connectors differ', async () => {
    await log(1)
    const to = api.clock.now()
    await gap(2)

    const gaps = (await data('since=1')).gaps

    expect(gaps).toEqual([{ kind: 'time', reason: 'engine_link_lost', from: to - 3_000, to: to + 1_000 }])
  })

  it('a time gap reveals neither the engine and the connector nor how many events were dropped', async () => {
    await log(1)
    const hidden = aGap({ reason: 'a word', dropped: { class: 'calls', count: 31_337 } })
    await gap(2, { ...hidden, from: api.clock.now() - 5, to: api.clock.now() })

    const text = JSON.stringify(await list())

    expect(text).toContain('engine_link_lost')
    const { id, connectorId, recordedBy, engine, reason, before, after } = hidden
    for (const secret of [id, connectorId, recordedBy, engine, reason, before.coreUuid, after.coreUuid, '31337']) {
      expect(text).not.toContain(secret)
    }
  })

  it('a time gap is listed when it is recorded, even after events that were read before', async () => {
    await log(3)
    const { next } = await data()
    const from = api.clock.now() - 3_000

    api.clock.move(30_000)
    await gap(0, { from, to: from + 1_000, reason: 'connector-killed' })

    expect((await data(`since=${next}`)).gaps).toEqual([
      { kind: 'time', reason: 'connector_ended', from: from - 1_000, to: from + 2_000 },
    ])
  })

  it('a time gap is not listed again once a later event was read', async () => {
    await log(1)
    await gap(1)
    api.clock.move(10_000)
    await log(1)

    expect((await data('since=1')).gaps).toHaveLength(1)
    expect((await data('since=2')).gaps).toEqual([])
  })

  it('a time gap is on the page during whose time it was recorded', async () => {
    await log(2)
    api.clock.move(60_000)
    await gap(1)
    api.clock.move(60_000)
    await log(2)

    const first = await data('limit=2')
    const second = await data('limit=2&since=2')

    expect([first.gaps.length, second.gaps.length]).toEqual([0, 1])
  })

  it('a time gap that was recorded in the millisecond of the last event of a page is on that page', async () => {
    await log(1)
    api.clock.move(60_000)
    await gap(1)
    await log(2)

    expect((await data('since=1&limit=1')).gaps).toHaveLength(1)
  })

  it("a time gap before the domain's first hook is not listed", async () => {
    await gap(5, { from: start - 9_000, to: start - 4_000 })
    await log(1)

    expect((await data()).gaps).toEqual([])
  })

  it('time gaps are listed for the last day', async () => {
    await log(1)
    await gap(1)
    api.clock.move(23 * hour)
    await log(1)
    expect((await data('since=1')).gaps).toHaveLength(1)

    api.clock.move(hour)

    expect((await data('since=1')).gaps).toEqual([])
  })

  it.each([
    ['less than five seconds before', 4_999, 1],
    ['five seconds before', 5_000, 0],
  ])(
    'a page lists a time gap by clocks that may differ: one that was recorded %s the event before the page',
    async (_when, beforeMs, count) => {
      await log(1)
      api.clock.move(60_000)
      await gap(1)
      api.clock.move(beforeMs)
      await log(1)

      expect((await data('since=2')).gaps).toHaveLength(count)
      expect((await data('since=1')).gaps).toHaveLength(1)
    },
  )

  const day = 24 * hour
  it.each([
    ['began 25 hours ago and ended now', 25 * hour, 0, 1],
    ['began a week ago and ended now', 7 * day, 0, 1],
    ['began longer ago than a week', 7 * day + 1, 0, 0],
    ['ended less than a day ago', day + hour, day - 1, 1],
    ['ended a day ago', day + hour, day, 0],
  ])(
    'time gaps of the last day are listed whenever they began: one that %s',
    async (_what, beganMs, endedMs, count) => {
      await log(1)
      const now = api.clock.now()

      await gap(0, { from: now - beganMs, to: now - endedMs })

      expect((await data('since=1')).gaps).toHaveLength(count)
    },
  )

  it('a time gap is not listed if another connector was connected all the time, unless it lost events that it had read', async () => {
    await log(1)
    api.clock.move(60_000)
    const now = api.clock.now()
    const engine = '192.0.2.1:8021'
    const heard = (upSince: number, reportedAt: number) =>
      api.ports.connectorStatus.report(
        aReport({
          connectorId: 'connector-2',
          reportedAt,
          eventLinks: [{ engine, last: { coreUuid: '', sequence: '' }, upSince }],
        }),
      )
    await gap(10, { engine })

    await heard(now - 20_000, now + 1)
    expect((await data('since=1')).gaps).toEqual([])
    await heard(now - 5_000, now + 1)
    expect((await data('since=1')).gaps).toHaveLength(1)
    await heard(now - 20_000, now - 1)
    expect((await data('since=1')).gaps).toHaveLength(1)

    await heard(now - 20_000, now + 1)
    await gap(10, { reason: 'unreadable', engine, dropped: { class: 'unreadable', count: 1 } })
    await gap(10, { reason: 'dropped', engine: '', dropped: { class: '1', count: 1 } })
    await gap(10, { reason: 'spool-lost', engine })
    expect((await data('since=1')).gaps).toHaveLength(3)
  })

  it('a time gap is listed if another connector was connected all the time and did not keep its events', async () => {
    await log(1)
    api.clock.move(60_000)
    const now = api.clock.now()
    const engine = '192.0.2.1:8021'
    const heard = (keptTo: number) => {
      const link = { engine, last: { coreUuid: '', sequence: '' }, upSince: now - 20_000, keptTo }
      return api.ports.connectorStatus.report(
        aReport({ connectorId: 'connector-2', reportedAt: now + 1, eventLinks: [link] }),
      )
    }
    await gap(10, { engine })

    await heard(now - 1)
    expect((await data('since=1')).gaps).toHaveLength(1)
    await heard(now)
    expect((await data('since=1')).gaps).toEqual([])
  })

  it('a time gap is listed if the connector that was connected all the time has an unrecorded loss', async () => {
    await log(1)
    api.clock.move(60_000)
    const now = api.clock.now()
    const engine = '192.0.2.1:8021'
    const heard = (lostAt?: number) => {
      const link = { engine, last: { coreUuid: '', sequence: '' }, upSince: now - 20_000, lostAt }
      return api.ports.connectorStatus.report(
        aReport({ connectorId: 'connector-2', reportedAt: now + 1, eventLinks: [link] }),
      )
    }
    await gap(10, { engine })

    await heard(now - 5)
    expect((await data('since=1')).gaps).toHaveLength(1)
    await heard()
    expect((await data('since=1')).gaps).toEqual([])
  })

  it('time gaps are merged if there are more than a hundred', async () => {
    await log(1)
    const at = api.clock.now()
    for (let index = 0; index < 150; index += 1) await gap(0, { from: at + index * 10, to: at + index * 10 + 5 })

    const { gaps } = await data('since=1')

    expect(gaps).toHaveLength(100)
    expect(gaps[0]).toEqual({ kind: 'time', reason: 'several', from: at - 1_000, to: at + 1_505 })
    expect(gaps[1]).toEqual({ kind: 'time', reason: 'engine_link_lost', from: at - 490, to: at + 1_515 })
  })

  it('the whole last day is one time gap if there are more gaps than the list examines', async () => {
    await log(1)
    const at = api.clock.now()
    for (let index = 0; index < 1_001; index += 1) await gap(0, { from: at + index, to: at + index + 1 })

    const { gaps } = await data('since=1')

    expect(gaps[0]).toMatchObject({ reason: 'several', from: at - 24 * hour })
  })
})

describe('a time without a hook', () => {
  it('a time without a hook is a gap from the last event to the moment when the next hook took effect', async () => {
    await log(1)
    const last = api.clock.now() - 1_000
    api.clock.move(60_000)
    const again = api.clock.now()
    api.clock.move(10_000)
    await log(1, {}, again)

    expect((await data('since=1')).gaps).toEqual([{ kind: 'time', reason: 'no_hook', from: last, to: again + 2_000 }])
    expect((await data('since=2')).gaps).toEqual([])
  })

  it('a time without a hook is no gap while one of the hooks is older than the last event', async () => {
    await log(2)
    api.clock.move(60_000)
    await log(1)

    expect((await data()).gaps).toEqual([])
  })
})
