import { type CalendarUnit, beginningOf, plusUnits } from '../../../core/cdr/calendar.ts'
import { type TimeZone, timeZoneOf, utc } from '../../../core/cdr/time-zone.ts'
import type { AggregationKind } from './accumulator.ts'
import { numericField, timeText } from './aggregated-field.ts'
import { Buckets, inOrder } from './buckets.ts'
import { type JsonObject, checkNames, countIn } from './json.ts'
import { badRequest } from './refusal.ts'

interface Steps {
  beginningOf(at: number): number
  next(beginning: number): number
}

/** Times in buckets of the calendar or of a fixed length, by the clocks of a zone. */
export const dateHistogramKind: AggregationKind = (body, place, within) => {
  const names = ['field', 'calendar_interval', 'fixed_interval', 'time_zone', 'min_doc_count', 'format']
  checkNames(body, names, 'date_histogram')
  const { numbersIn } = numericField(body, place, 'date_histogram')
  const zone = zoneOf(body['time_zone'])
  const steps = stepsOf(body, zone)
  const least = countIn(body, 'min_doc_count', 0)
  return () => {
    const buckets = new Buckets<number>(within)
    return {
      add(row) {
        for (const at of numbersIn(row)) buckets.add(steps.beginningOf(at), row)
      },
      result: () => ({
        buckets: inOrder(buckets, least, (key) => steps.next(key)).map(([key, bucket]) =>
          bucket.result({ key_as_string: timeText(key, zone.offsetAt(key)), key }),
        ),
      }),
    }
  }
}

const units: ReadonlyMap<string, CalendarUnit> = new Map(
  (['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const).map((unit) => [unit, unit]),
)

function stepsOf(body: JsonObject, zone: TimeZone): Steps {
  const unit = units.get(String(body['calendar_interval']))
  if (unit !== undefined) {
    return remembered({
      beginningOf: (at) => beginningOf(unit, at, zone),
      next: (beginning) => plusUnits(unit, 1, beginning, zone),
    })
  }
  const length = Number(/^(\d+)ms$/.exec(String(body['fixed_interval']))?.[1])
  if (!(length > 0))
    throw badRequest('Required one of fields [calendar_interval, fixed_interval], but none were specified.')
  const begin = (at: number): number => {
    const offset = zone.offsetAt(at)
    return Math.floor((at + offset) / length) * length - offset
  }
  return { beginningOf: begin, next: (beginning) => begin(beginning + length) }
}

/** Rows come in no order, but there are few buckets: the one found last is looked at first. */
function remembered(steps: Steps): Steps {
  let [from, to] = [0, 0]
  return {
    ...steps,
    beginningOf(at) {
      if (at < from || at >= to) {
        from = steps.beginningOf(at)
        to = steps.next(from)
      }
      return from
    },
  }
}

function zoneOf(name: unknown): TimeZone {
  if (name === undefined) return utc
  const zone = typeof name === 'string' ? timeZoneOf(name) : undefined
  if (zone === undefined)
    throw badRequest(`Unknown time-zone ID: ${JSON.stringify(name)}`, 'illegal_argument_exception')
  return zone
}
