import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  mayBeRetried,
  nextAttemptAt,
  plannedWait,
  readRetryAfter,
} from '../../../core/hooks/delivery/retry-schedule.ts'

const now = Date.UTC(2026, 10, 21, 12)
const day = 86_400_000
const never = () => 0
const failed = (made: number, retryAfter?: string) => ({ made, at: now, retryAfter })

describe('the planned waits', () => {
  it('the planned waits of a delivery are those of the contract, one for each retry', () => {
    const waits = Array.from({ length: 11 }, (_, index) => plannedWait({ retries: 10 }, index + 1))

    const seconds = [5, 30, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
    expect(waits).toEqual([...seconds.map((wait) => wait * 1_000), undefined])
  })

  it.each([0, 3, 8, 10])('the planned waits end after %i retries where the hook says so', (retries) => {
    expect(plannedWait({ retries }, retries + 1)).toBeUndefined()
    if (retries > 0) expect(plannedWait({ retries }, retries)).toBeDefined()
  })

  it("the waits double from the hook's own delay, up to a day", () => {
    const waits = [1, 2, 3, 6].map((made) => plannedWait({ retries: 10, delay: 3_600 }, made))

    expect(waits).toEqual([3_600_000, 7_200_000, 14_400_000, day])
  })
})

describe('the next attempt', () => {
  it('the next attempt is up to a fifth later than planned, never earlier, and never above a day for a hook with a delay', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.option(fc.integer({ min: 1, max: 3_600 }), { nil: undefined }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (made, delay, random) => {
          const hook = { retries: 10, delay }
          const planned = plannedWait(hook, made) ?? 0
          const wait = (nextAttemptAt(hook, failed(made), () => random) ?? 0) - now
          expect(wait).toBeGreaterThanOrEqual(planned)
          expect(wait).toBeLessThanOrEqual(delay === undefined ? planned * 1.2 : Math.min(planned * 1.2, day))
        },
      ),
      { seed: 7 },
    )
  })

  it('the next attempt has jitter even after the longest of the usual waits', () => {
    expect(nextAttemptAt({ retries: 10 }, failed(10), () => 0.5)).toBe(now + 1.1 * day)
  })

  it.each([
    ['a later time in seconds', '120', 120_000],
    ['an earlier time in seconds', '1', 5_000],
    ['a later date', 'Sat, 21 Nov 2026 12:10:00 GMT', 600_000],
    ['a date that is over', 'Sat, 21 Nov 2026 11:00:00 GMT', 5_000],
    ['ten years', '315360000', day],
    ['a negative number', '-30', 5_000],
    ['words', 'soon', 5_000],
    ['a date in words that is no HTTP date', '2027-01-01', 5_000],
  ])('the next attempt follows %s of Retry-After only when it is later', (_, retryAfter, wait) => {
    expect(nextAttemptAt({ retries: 8 }, failed(1, retryAfter), never)).toBe(now + wait)
  })

  it('no next attempt is planned when the retries are used up, even if the receiver sends Retry-After', () => {
    expect(nextAttemptAt({ retries: 2 }, failed(3, '60'), never)).toBeUndefined()
  })
})

describe('Retry-After', () => {
  it.each(['', '1.5', '1e3', '0x10', '99999999999999999999', 'Sat, nonsense of a date', '\u0000', '12 34'])(
    'a Retry-After of %j is ignored',
    (text) => {
      expect(readRetryAfter(text, now)).toBeUndefined()
    },
  )

  it.each(['Sat, 21 Nov 2026 12:00:30 GMT', 'Saturday, 21-Nov-26 12:00:30 GMT', 'Sat Nov 21 12:00:30 2026 GMT'])(
    'a Retry-After is read as a date in the form %s',
    (text) => {
      expect(readRetryAfter(text, now)).toBe(30_000)
    },
  )
})

describe('a failed attempt', () => {
  it.each([408, 425, 429, 500, 502, 503, 504, 599])('a failed attempt with status %i may be retried', (status) => {
    expect(mayBeRetried({ status })).toBe(true)
  })

  it.each([301, 302, 400, 401, 403, 404, 409, 410, 422, 451])('a failed attempt with status %i is final', (status) => {
    expect(mayBeRetried({ status })).toBe(false)
  })

  it.each(['timeout', 'network', 'dns', 'tls', 'blocked address', 'auth_failed'])(
    'a failed attempt for %s may be retried',
    (reason) => {
      expect(mayBeRetried({ reason })).toBe(true)
    },
  )

  it('an attempt that fails because of its template is final', () => {
    expect(mayBeRetried({ reason: 'bad_template' })).toBe(false)
  })
})
