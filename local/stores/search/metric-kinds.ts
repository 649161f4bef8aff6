import type { AggregationKind } from './accumulator.ts'
import { aggregatedField, numericField, timeText } from './aggregated-field.ts'
import { checkNames, listOf } from './json.ts'

type Outcome = (count: number, sum: number, least: number, most: number) => number | null

function oneNumber(kind: string, outcome: Outcome): AggregationKind {
  return (body, place) => {
    checkNames(body, ['field', 'format'], kind)
    const { field, numbersIn } = numericField(body, place, kind)
    return () => {
      let [count, sum, least, most] = [0, 0, Infinity, -Infinity]
      return {
        add(row) {
          for (const value of numbersIn(row)) {
            count += 1
            sum += value
            least = Math.min(least, value)
            most = Math.max(most, value)
          }
        },
        result() {
          const value = outcome(count, sum, least, most)
          return { value, ...(field?.type === 'date' && value !== null && { value_as_string: timeText(value) }) }
        },
      }
    }
  }
}

const cardinality: AggregationKind = (body, place) => {
  checkNames(body, ['field', 'precision_threshold'], 'cardinality')
  const { valuesIn } = aggregatedField(body, place)
  return () => {
    const seen = new Set<string | number>()
    return {
      add(row) {
        for (const value of valuesIn(row)) seen.add(value)
      },
      result: () => ({ value: seen.size }),
    }
  }
}

const percentiles: AggregationKind = (body, place) => {
  checkNames(body, ['field', 'percents', 'format', 'tdigest'], 'percentiles')
  const { numbersIn } = numericField(body, place, 'percentiles')
  const percents = listOf(body['percents'] ?? [1, 5, 25, 50, 75, 95, 99]).map(Number)
  return () => {
    const values: number[] = []
    return {
      add(row) {
        values.push(...numbersIn(row))
      },
      result() {
        const sorted = Float64Array.from(values).sort()
        const named = percents.map((percent) => [percentName(percent), valueAt(sorted, percent)])
        return { values: Object.fromEntries(named) }
      },
    }
  }
}

/** Aggregations whose results are numbers. */
export const metricKinds: readonly (readonly [string, AggregationKind])[] = [
  ['avg', oneNumber('avg', (count, sum) => (count === 0 ? null : sum / count))],
  ['sum', oneNumber('sum', (_count, sum) => sum)],
  ['min', oneNumber('min', (count, _sum, least) => (count === 0 ? null : least))],
  ['max', oneNumber('max', (count, _sum, _least, most) => (count === 0 ? null : most))],
  ['cardinality', cardinality],
  ['percentiles', percentiles],
]

/** Between two values the place is shared out evenly. */
function valueAt(sorted: Float64Array, percent: number): number | null {
  const place = ((sorted.length - 1) * percent) / 100
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  if (below === undefined || above === undefined) return null
  return below + (above - below) * (place - Math.floor(place))
}

/** A number as Java writes it: with a decimal at least. */
function percentName(percent: number): string {
  return Number.isInteger(percent) ? percent.toFixed(1) : String(percent)
}
