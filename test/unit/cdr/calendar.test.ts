import { describe, expect, test } from 'vitest'
import { type CalendarUnit, beginningOf, plusUnits } from '../../../core/cdr/calendar.ts'
import { isTimeZone } from '../../../core/client-names/value-rules.ts'
import { momentIn } from '../../../core/cdr/search/moment.ts'
import { type TimeZone, currentName, momentOf, timeZoneOf, utc } from '../../../core/cdr/time-zone.ts'

function zone(name: string): TimeZone {
  const known = timeZoneOf(name)
  if (known === undefined) throw new Error(`no zone ${name}`)
  return known
}

const kyiv = zone('Europe/Kyiv')
const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())

describe('zones', () => {
  test.each([
    ['UTC', 0],
    ['Z', 0],
    ['+02:00', 120],
    ['-0530', -330],
    ['+05', 300],
    ['Europe/Kyiv', 120],
    ['America/Argentina/Buenos_Aires', -180],
    ['Asia/Kathmandu', 345],
    ['Etc/GMT+5', -300],
  ])('the time zone %s is %i minutes ahead of UTC in winter', (name, minutes) => {
    expect(zone(name).offsetAt(Date.UTC(2026, 0, 15))).toBe(minutes * 60_000)
  })

  test.each(['', 'x', 'Mars/Base', 'europe/kyiv', '+25:00', '+02:60', '02:00', '../etc', 'Europe/', 'EST5EDT;x'])(
    '%j is no zone',
    (name) => {
      expect(timeZoneOf(name)).toBeUndefined()
    },
  )

  test('a time zone observes its summer time', () => {
    expect(kyiv.offsetAt(Date.UTC(2026, 2, 29, 0, 59))).toBe(2 * 3_600_000)
    expect(kyiv.offsetAt(Date.UTC(2026, 2, 29, 1))).toBe(3 * 3_600_000)
  })

  test.each(['CET', 'EST', 'Zulu', 'US/Eastern', 'EST5EDT', 'GB', 'GMT+0', 'PRC', 'Etc/GMT-2'])(
    '%s is a zone in every place that takes one',
    (name) => {
      expect([isTimeZone(name), zone(name).name]).toEqual([true, name])
    },
  )

  test.each([
    ['CET', 'Europe/Brussels'],
    ['EST', 'America/Panama'],
    ['Europe/Kyiv', 'Europe/Kiev'],
    ['+02:00', '+02:00'],
  ])('the search store is asked for %s as %s, which every zone database has', (name, current) => {
    expect(currentName(name)).toBe(current)
  })

  test('of a time that the clocks show twice the first or the last moment is read', () => {
    const cairo = zone('Africa/Cairo')
    const local = Date.UTC(2026, 9, 29, 23, 30)
    expect([iso(momentOf(local, cairo)), iso(momentOf(local, cairo, true))]).toEqual([
      '2026-10-29T20:30:00.000Z',
      '2026-10-29T21:30:00.000Z',
    ])
  })

  test('a local time that the clocks skip is read as the time after the jump', () => {
    expect(iso(momentOf(Date.UTC(2026, 2, 29, 3, 30), kyiv))).toBe('2026-03-29T01:30:00.000Z')
  })
})

describe('the calendar', () => {
  const beginnings: readonly (readonly [CalendarUnit, string, string])[] = [
    ['minute', 'UTC', '2026-05-14T09:08:00.000Z'],
    ['hour', '+05:30', '2026-05-14T08:30:00.000Z'],
    ['day', 'UTC', '2026-05-14T00:00:00.000Z'],
    ['day', 'Europe/Kyiv', '2026-05-13T21:00:00.000Z'],
    ['week', 'UTC', '2026-05-11T00:00:00.000Z'],
    ['month', 'Europe/Kyiv', '2026-04-30T21:00:00.000Z'],
    ['quarter', 'UTC', '2026-04-01T00:00:00.000Z'],
    ['year', 'Europe/Kyiv', '2025-12-31T22:00:00.000Z'],
  ]

  test.each(beginnings)('the %s in %s begins', (unit, name, expected) => {
    expect(iso(beginningOf(unit, Date.UTC(2026, 4, 14, 9, 8, 7, 6), zone(name)))).toBe(expected)
  })

  test('a month after the 31st is the last day of a shorter month, and a day later is the same local time', () => {
    expect(iso(plusUnits('month', 1, Date.UTC(2026, 0, 31, 5), utc))).toBe('2026-02-28T05:00:00.000Z')
    expect(iso(plusUnits('month', -11, Date.UTC(2026, 0, 31), utc))).toBe('2025-02-28T00:00:00.000Z')
    expect(iso(plusUnits('year', 1, Date.UTC(2024, 1, 29), utc))).toBe('2025-02-28T00:00:00.000Z')
    expect(iso(plusUnits('quarter', 1, Date.UTC(2026, 10, 30), utc))).toBe('2027-02-28T00:00:00.000Z')
    expect(iso(plusUnits('day', 1, Date.UTC(2026, 2, 28, 12), kyiv))).toBe('2026-03-29T11:00:00.000Z')
    expect(iso(plusUnits('hour', 24, Date.UTC(2026, 2, 28, 12), kyiv))).toBe('2026-03-29T12:00:00.000Z')
    expect(iso(plusUnits('week', -1, Date.UTC(2026, 0, 5), utc))).toBe('2025-12-29T00:00:00.000Z')
  })
})

describe('dates as they are written', () => {
  const now = Date.UTC(2026, 0, 31, 12, 34, 56, 789)

  const moments: readonly (readonly [text: string, down: string | undefined, up?: string])[] = [
    ['2026', '2026-01-01T00:00:00.000Z', '2026-12-31T23:59:59.999Z'],
    ['2024-02', '2024-02-01T00:00:00.000Z', '2024-02-29T23:59:59.999Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z', '2026-01-31T23:59:59.999Z'],
    ['2026-01-31T10', '2026-01-31T10:00:00.000Z', '2026-01-31T10:59:59.999Z'],
    ['2026-01-31T10:20', '2026-01-31T10:20:00.000Z', '2026-01-31T10:20:59.999Z'],
    ['2026-01-31T10:20:30', '2026-01-31T10:20:30.000Z', '2026-01-31T10:20:30.999Z'],
    ['2026-01-31T10:20:30.1', '2026-01-31T10:20:30.100Z'],
    ['2026-01-31T10:20:30.123456789', '2026-01-31T10:20:30.123Z'],
    ['2026-01-31T10:20:30Z', '2026-01-31T10:20:30.000Z', '2026-01-31T10:20:30.999Z'],
    ['2026-01-31T10:20:30.000-05:00', '2026-01-31T15:20:30.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z', '0001-01-01T23:59:59.999Z'],
    ['1769862896789', '2026-01-31T12:34:56.789Z'],
    ['-86400000', '1969-12-31T00:00:00.000Z'],
    ['now', '2026-01-31T12:34:56.789Z'],
    ['now+1M', '2026-02-28T12:34:56.789Z'],
    ['now-1M/M', '2025-12-01T00:00:00.000Z', '2025-12-31T23:59:59.999Z'],
    ['now/d+1h', '2026-01-31T01:00:00.000Z', '2026-02-01T00:59:59.999Z'],
    ['now/h', '2026-01-31T12:00:00.000Z', '2026-01-31T12:59:59.999Z'],
    ['now/H-d', '2026-01-30T12:00:00.000Z', '2026-01-30T12:59:59.999Z'],
    ['now-90m/m', '2026-01-31T11:04:00.000Z', '2026-01-31T11:04:59.999Z'],
    ['now/1w', '2026-01-26T00:00:00.000Z', '2026-02-01T23:59:59.999Z'],
    ['2026-01-31||', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31||+1M/d', '2026-02-28T00:00:00.000Z', '2026-02-28T23:59:59.999Z'],
    ['1769862896789||/y', '2026-01-01T00:00:00.000Z', '2026-12-31T23:59:59.999Z'],
    ...['', 'x', 'NOW', 'now ', 'now+', 'now+1', 'now+1x', 'now/2d', 'now1d', 'now--1d', '26-01-01', '2026-1-1'].map(
      bad,
    ),
    ...['2026-00-01', '2026-01-32', '2026-02-29', '2026-01-01T24', '2026-01-01T10:60', '2026-01-01T10:20:60'].map(bad),
    ...['2026-01-01Z', '2026-01-01T10:20:30+25:00', '||now', 'now||/d', '2026-01-01||x', '9'.repeat(15)].map(bad),
    ...['now+999999999y', 'now-999999999d', '1e3', '٢٠٢٦'].map(bad),
  ]

  test.each(moments.map(([text, down, up = down]) => ({ text, down, up })))(
    'the date $text is read correctly',
    ({ text, down, up }) => {
      expect(iso(momentIn(text, { now, zone: utc, isRoundedUp: false }))).toBe(down)
      expect(iso(momentIn(text, { now, zone: utc, isRoundedUp: true }))).toBe(up)
    },
  )

  function bad(text: string): readonly [string, undefined] {
    return [text, undefined]
  }

  test("a date without a zone, and a rounded date, follow the local time of the search's zone", () => {
    const local = { now, zone: kyiv, isRoundedUp: false }

    expect(iso(momentIn('2026-07-01', local))).toBe('2026-06-30T21:00:00.000Z')
    expect(iso(momentIn('2026-07-01T00:00:00Z', local))).toBe('2026-07-01T00:00:00.000Z')
    expect(iso(momentIn('now/d', local))).toBe('2026-01-30T22:00:00.000Z')
    expect(iso(momentIn('now/d', { ...local, isRoundedUp: true }))).toBe('2026-01-31T21:59:59.999Z')
  })
})

describe('days whose midnight the clocks leave out or show twice', () => {
  test.each([
    ['Africa/Cairo', '2026-04-24||/d', '2026-04-24T20:59:59.999Z'],
    ['America/Santiago', '2026-09-06||/d', '2026-09-07T02:59:59.999Z'],
    ['America/Havana', '2026-03-08||/d', '2026-03-09T03:59:59.999Z'],
    ['America/Asuncion', '2023-10-01||/M', '2023-11-01T02:59:59.999Z'],
    ['America/Santiago', '2026-04-04', '2026-04-05T03:59:59.999Z'],
    ['Africa/Cairo', '2026-10-29', '2026-10-29T21:59:59.999Z'],
    ['Europe/Berlin', '2026-03-29||/d', '2026-03-29T21:59:59.999Z'],
  ])('in %s the last moment of %s is %s', (name, text, expected) => {
    expect(iso(momentIn(text, { now: 0, zone: zone(name), isRoundedUp: true }))).toBe(expected)
  })

  test.each([
    ['Africa/Cairo', '2026-04-24T10:00:00Z', ['2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z']],
    ['America/Santiago', '2026-09-06T10:00:00Z', ['2026-09-06T04:00:00.000Z', '2026-09-07T03:00:00.000Z']],
    ['Asia/Amman', '2021-10-28T22:30:00Z', ['2021-10-28T21:00:00.000Z', '2021-10-29T22:00:00.000Z']],
    ['Asia/Amman', '2021-10-28T21:30:00Z', ['2021-10-28T21:00:00.000Z', '2021-10-29T22:00:00.000Z']],
  ])('in %s the day of %s and the day after it begin at %j', (name, at, expected) => {
    const begins = beginningOf('day', Date.parse(at), zone(name))
    expect([iso(begins), iso(plusUnits('day', 1, begins, zone(name)))]).toEqual(expected)
  })

  test('a time of day that is no beginning is kept over such a day', () => {
    expect(iso(plusUnits('day', 1, Date.parse('2026-04-23T21:30:00Z'), zone('Africa/Cairo')))).toBe(
      '2026-04-24T20:30:00.000Z',
    )
  })
})
