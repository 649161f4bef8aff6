import { describe, expect, it } from 'vitest'
import { linearPattern } from '../../../adapters/regex/linear-pattern.ts'
import { parseExpression } from '../../../core/default-routes/expression/parse-expression.ts'
import { localTime } from '../../../core/dialplan/call-time.ts'
import { holds } from '../../../core/dialplan/evaluate-expression.ts'

const variables = new Map([
  ['caller_id_number', '+380441234567'],
  ['x_vip', '1'],
  ['x_name', 'Anna'],
  ['x_none', ''],
])

const isHeld = (expression: string, at = '2026-03-29T12:30:15Z', zone = 'UTC') =>
  holds(
    parseExpression(expression, 'expression', () => undefined),
    {
      variables,
      time: localTime(Date.parse(at), zone),
      finds: (pattern, flags, text) => linearPattern(pattern, flags)?.matches(text) ?? false,
    },
  )

describe('a condition', () => {
  it.each([
    ['${x_vip}', true],
    ['${x_none}', false],
    ['${x_missing}', false],
    ['!${x_missing}', true],
    ['0', false],
    ['false', false],
    ["'0'", false],
    ["'no'", true],
    ['${x_vip} == 1', true],
    ["${x_vip} == '1.0'", true],
    ["'01' == '1'", false],
    ["'a' < 'b'", true],
    ['10 > 9', true],
    ["'10a' > '9a'", false],
    ["${x_name} == 'Anna' && ${x_vip} != 1", false],
    ["${x_name} == 'Bob' || ${x_vip} >= 1", true],
    ["!(${x_name} == 'Anna')", false],
    ["${caller_id_number:1:3} == '380'", true],
    ["${caller_id_number:-4} == '4567'", true],
    ['&match(/^\\+38044/, ${caller_id_number})', true],
    ['&match(/^anna$/i, ${x_name})', true],
    ['&match(/^anna$/, ${x_name})', false],
  ])('the condition %s of a route is %s', (expression, expected) => {
    expect(isHeld(expression)).toBe(expected)
  })
})

describe('a condition over the time', () => {
  it.each([
    ['&year(2026)', true],
    ['&mon(mar)', true],
    ['&mon(4-2)', false],
    ['&mday(29)', true],
    ['&yday(88)', true],
    ['&wday(sun)', true],
    ['&wday(mon-fri)', false],
    ['&wday(sat-mon)', true],
    ['&week(13)', true],
    ['&mweek(5)', true],
    ['&hour(9-12)', true],
    ['&hour(13-11)', false],
    ['&minute(0-29,31-59)', false],
    ['&minute_of_day(751)', true],
    ['&minute_of_day(750)', false],
    ['&time_of_day(12:30-12:31)', true],
    ['&time_of_day(12:31-12:30)', false],
    ['&time_of_day(22:00-12:30:15)', true],
    ['&date_time(2026-03-29 12:30~2026-03-30 00:00)', true],
    ['&date_time(2026-03-29 12:31~2026-03-30 00:00)', false],
    ['&hour() == 12', true],
  ])('the time condition %s is %s on Sunday, 29 March 2026, at 12:30:15', (expression, expected) => {
    expect(isHeld(expression)).toBe(expected)
  })

  it.each([
    ['&minute_of_day(1)', '2026-11-26T00:00:30Z'],
    ['&minute_of_day(1-60)', '2026-11-26T00:59:59Z'],
    ['&minute_of_day(1440)', '2026-11-26T23:59:30Z'],
    ['&minute_of_day(1440-1)', '2026-11-26T00:00:00Z'],
    ['&minute_of_day() == 1', '2026-11-26T00:00:00Z'],
  ])('%s holds at %s: the minutes of a day count from 1, as the engine counts them', (expression, at) => {
    expect(isHeld(expression, at, 'UTC')).toBe(true)
  })

  it.each([
    ['Europe/Kyiv', '2026-03-29T00:59:59Z', 2, 1],
    ['Europe/Kyiv', '2026-03-29T01:00:00Z', 4, 1],
    ['America/New_York', '2026-11-01T05:59:59Z', 1, 1],
    ['America/New_York', '2026-11-01T06:00:00Z', 1, 1],
    ['Asia/Kathmandu', '2026-03-28T18:14:59Z', 23, 7],
    ['Asia/Kathmandu', '2026-03-28T18:15:00Z', 0, 1],
    ['Pacific/Kiritimati', '2026-03-28T10:00:00Z', 0, 1],
  ])('in %s, %s is in hour %i of day %i of the week, also when the clocks change', (zone, at, hour, weekday) => {
    expect(isHeld(`&hour(${hour}) && &wday(${weekday})`, at, zone)).toBe(true)
  })
})
