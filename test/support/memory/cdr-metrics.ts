import type { Cdr } from '../../../core/cdr/cdr.ts'
import { fieldTypeOf } from '../../../core/cdr/cdr-fields.ts'
import { valuesOf } from '../../../core/cdr/field-values.ts'
import type { Aggregation } from '../../../core/cdr/search-plan.ts'

type Metric = Extract<Aggregation, { readonly kind: 'avg' | 'sum' | 'min' | 'max' | 'cardinality' | 'percentiles' }>

/** One number over CDRs, or for percentiles one each, in the form of OpenSearch's answers. */
export function metricOf(cdrs: readonly Cdr[], wanted: Metric): Readonly<Record<string, unknown>> {
  const all = cdrs.flatMap((cdr) => valuesOf(cdr, wanted.field))
  if (wanted.kind === 'cardinality') return { value: new Set(all).size }
  const values = all.filter((value) => typeof value === 'number').sort((a, b) => a - b)
  if (wanted.kind === 'percentiles') {
    return { values: Object.fromEntries(wanted.percents.map((percent) => [percentKey(percent), at(values, percent)])) }
  }
  const value = numberOf(values, wanted.kind)
  const isDate = fieldTypeOf(wanted.field) === 'date' && value !== null
  return isDate ? { value, value_as_string: new Date(value).toISOString() } : { value }
}

function numberOf(sorted: readonly number[], kind: 'avg' | 'sum' | 'min' | 'max'): number | null {
  const sum = sorted.reduce((total, value) => total + value, 0)
  if (kind === 'sum') return sum
  if (sorted.length === 0) return null
  if (kind === 'avg') return sum / sorted.length
  return sorted.at(kind === 'min' ? 0 : -1) ?? null
}

/** Between two values the place is shared out evenly, as OpenSearch's estimate does for few values. */
function at(sorted: readonly number[], percent: number): number | null {
  const place = ((sorted.length - 1) * percent) / 100
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  if (below === undefined || above === undefined) return null
  return below + (above - below) * (place - Math.floor(place))
}

/** A percent as OpenSearch names it: with one decimal at least. */
function percentKey(percent: number): string {
  return Number.isInteger(percent) ? percent.toFixed(1) : String(percent)
}
