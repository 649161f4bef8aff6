import { describe, expect, test } from 'vitest'
import { EngineClocks } from '../../../connector/runtime/engine-clocks.ts'
import { anEngineEvent } from '../../support/engine/engine-event.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'

const [minute, hour, year] = [60_000, 3_600_000, 365 * 86_400_000]
const engine = '192.0.2.1:8021'

/** An engine whose events come at once, with its clock off by what a test says. */
function anEngine() {
  const clock = movableClock()
  const clocks = new EngineClocks(clock)
  const event = (offMs: number, headers: Readonly<Record<string, string>> = {}) => {
    const stamp = (ms: number) => `${(clock.now() + offMs + ms) * 1_000}`
    const times = { 'Event-Date-Timestamp': stamp(0), 'Caller-Channel-Created-Time': stamp(-3_000) }
    return clocks.corrected(anEngineEvent({ name: 'CHANNEL_CREATE', headers: { ...times, ...headers } }), engine)
  }
  /** How far the time of an event is from the platform's. */
  const errorOf = (offMs: number) => Number(event(offMs).header('Event-Date-Timestamp')) / 1_000 - clock.now()
  return { clock, clocks, event, errorOf }
}

describe('the clock of an engine', () => {
  test.each([
    ['2 minutes ahead', 2 * minute],
    ['3 hours ahead', 3 * hour],
    ['50 years ahead', 50 * year],
    ['3 hours behind', -3 * hour],
    ['25 hours behind', -25 * hour],
    ['50 years behind', -50 * year],
  ])('that is %s is corrected from its first event on', (_title, off) => {
    const { clock, clocks, errorOf } = anEngine()
    expect(errorOf(off)).toBe(0)
    clock.move(1_000)
    expect(errorOf(off)).toBe(0)
    expect(clocks.behindMs(engine)).toBe(-off)
  })

  test.each([-2 * minute, -15 * minute, -59 * minute])(
    'that is behind by %i ms is corrected when events agree on it for a minute',
    (off) => {
      const { clock, clocks, errorOf } = anEngine()
      for (let ms = 0; ms < minute; ms += 20_000) {
        expect(errorOf(off + (ms % 3_000))).toBe(off + (ms % 3_000))
        clock.move(20_000)
      }

      expect(errorOf(off)).toBe(0)
      expect(errorOf(off)).toBe(0)
      expect(clocks.behindMs(engine)).toBe(-off)
    },
  )

  test('that was wrong and is set right is right again', () => {
    for (const off of [15 * minute, -3 * hour]) {
      const { clock, clocks, errorOf } = anEngine()
      errorOf(off)
      for (let ms = 0; ms <= minute; ms += 20_000) {
        clock.move(20_000)
        errorOf(0)
      }
      expect([errorOf(0), Math.abs(clocks.behindMs(engine) ?? 1)]).toEqual([0, 0])
    }
  })

  test.each([2 * minute, -2 * minute, -15 * minute])(
    'is not taken for wrong because some events among others are off by %i ms: those alone are corrected',
    (off) => {
      const { clock, clocks, errorOf } = anEngine()
      for (const each of [0, off, 0, off, off, 0]) {
        clock.move(1_000)
        expect(errorOf(each)).toBe(0)
      }
      expect(clocks.behindMs(engine)).toBe(0)
    },
  )

  test.each([-59_000, -1_000, 0, 1_000, 59_000])('that is off by %i ms is taken as it is', (off) => {
    const { event, errorOf } = anEngine()

    expect(errorOf(off)).toBe(off)
    expect(event(off).header('variable_engine_time')).toBeUndefined()
  })

  test.each([2 * hour, -2 * hour, 72 * year])(
    'that is off by %i ms for one event spoils neither that event nor the next ones',
    (off) => {
      const { clock, errorOf } = anEngine()
      for (const each of [0, off, 0, 0, off, off, 0]) {
        clock.move(20)
        expect(errorOf(each)).toBe(0)
      }
    },
  )

  test('is not taken for wrong because events are read late', () => {
    const { clock, errorOf, clocks } = anEngine()
    errorOf(0)

    for (const off of [-30_000, -90_000, -400_000, -100_000, 0]) {
      clock.move(400_000)
      expect(errorOf(off)).toBe(off)
    }
    expect(clocks.behindMs(engine)).toBe(0)
  })

  test.each([
    ['the first event of a connector is read two minutes late', 0, [-120_000, 0]],
    ['a connector was paused for 15 minutes', 15 * minute, [-899_000, -898_000, -500_000, -1_000, 0]],
  ])('is not taken for wrong because %s', (_title, pauseMs, offs) => {
    const { clock, errorOf, clocks } = anEngine()
    if (pauseMs > 0) errorOf(0)
    clock.move(pauseMs)
    for (const off of offs) {
      expect(errorOf(off)).toBe(off)
      clock.move(20_000)
    }
    expect(clocks.behindMs(engine)).toBe(0)
  })

  test('is not taken for wrong while a connector reads what has waited for it for a quarter of an hour', () => {
    const { clock, errorOf, clocks } = anEngine()
    errorOf(0)
    clock.move(15 * minute)

    for (let off = -15 * minute; off < 0; off += 1_000) {
      clock.move(5_000)
      expect(errorOf(off)).toBe(off)
    }
    expect(clocks.behindMs(engine)).toBe(0)
  })

  test('that goes slow little by little is corrected in the end', () => {
    const { clock, errorOf } = anEngine()

    for (let off = 0; off < 11 * minute; off += 1_000) {
      clock.move(30_000)
      errorOf(-off)
    }

    clock.move(30_000)
    expect(Math.abs(errorOf(-11 * minute))).toBeLessThan(10_000)
  })

  test('is corrected in every time of an event, and its own beginning of the call stays', () => {
    const { clock, event } = anEngine()
    const own = clock.now() - 3 * hour
    const corrected = event(-3 * hour, {
      'Caller-Channel-Hangup-Time': '0',
      'Caller-Channel-Answered-Time': `${own * 1_000}`,
      variable_start_uepoch: `${own * 1_000}`,
      variable_duration: '5',
      variable_x_time: '1768478400000000',
    })

    expect(corrected.headers()).toMatchObject({
      'Caller-Channel-Created-Time': `${(clock.now() - 3_000) * 1_000}`,
      'Caller-Channel-Answered-Time': `${clock.now() * 1_000}`,
      'Caller-Channel-Hangup-Time': '0',
      variable_start_uepoch: `${clock.now() * 1_000}`,
      variable_duration: '5',
      variable_x_time: '1768478400000000',
      variable_engine_time: new Date(own - 3_000).toISOString(),
    })
  })

  test('is corrected in its answers about channels too', () => {
    const { clock, clocks, errorOf } = anEngine()
    const fields = new Map([
      ['created_epoch', `${clock.now() / 1_000 - 7_200}`],
      ['Caller-Channel-Created-Time', `${(clock.now() - 2 * hour) * 1_000}`],
      ['dest', '9196'],
    ])
    const read = (name: string) => clocks.reader((field) => fields.get(field), engine)(name)
    expect(read('created_epoch')).toBe(fields.get('created_epoch'))

    errorOf(-2 * hour)

    expect(read('created_epoch')).toBe(`${clock.now() / 1_000}`)
    expect(read('Caller-Channel-Created-Time')).toBe(`${clock.now() * 1_000}`)
    expect(read('dest')).toBe('9196')
  })
})
