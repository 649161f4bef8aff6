import { expect, it } from 'vitest'
import { isoTime, timeInPast } from '../../../cli/input/values.ts'

it.each([
  ['2026-01-31', Date.UTC(2026, 0, 31)],
  ['2026-01-31T12:00Z', Date.UTC(2026, 0, 31, 12)],
  ['2026-01-31 12:00Z', Date.UTC(2026, 0, 31, 12)],
  ['2026-01-31T12:00:30+02:00', Date.UTC(2026, 0, 31, 10, 0, 30)],
])('the time %s is read', (text, time) => {
  expect([isoTime(text), timeInPast(text)]).toEqual([time, time])
})

it.each(['7', '30', '1/2/2026', 'May 5', '2026-13-01', ''])('the text %j is no time', (text) => {
  expect(() => isoTime(text)).toThrow('must be a time such as')
  expect(() => timeInPast(text)).toThrow('must be a time such as')
})

it('a span on the command line is a length of time before now', () => {
  expect(Math.abs(timeInPast('90m') - (Date.now() - 90 * 60_000))).toBeLessThan(60_000)
})
