import type { Clause } from '../search-plan.ts'
import { type ClauseContext, ignored, onlyField, scalarAt, zoneIn } from './clause-parts.ts'
import { type ConditionContext, rangeOf } from './field-conditions.ts'
import { checkMembers, objectAt, refused, textAt } from './refusal.ts'

const rangeMembers = ['gte', 'gt', 'lte', 'lt', 'from', 'to', 'include_lower', 'include_upper', 'format', 'time_zone']

/** Reads the two ends of a range. */
export function readRange(value: unknown, path: string, _depth: number, { now }: ClauseContext): Clause {
  const { field, content, at } = onlyField(value, path)
  const members = objectAt(content, at)
  checkMembers(members, [...rangeMembers, ...ignored], at)
  const from = endIn(members, ['gte', 'gt', 'from'], at)
  const to = endIn(members, ['lte', 'lt', 'to'], at)
  const isIncluded = (name: string, end: string | undefined, included: string) =>
    end === name ? members.get(included) !== false : end?.endsWith('e') === true
  const context = {
    now,
    ...zoneIn(members.get('time_zone'), `${at}.time_zone`),
    ...formatIn(members.get('format'), `${at}.format`),
  }
  return rangeOf(
    field,
    {
      from: scalarAt(members.get(from ?? ''), `${at}.${from}`),
      to: scalarAt(members.get(to ?? ''), `${at}.${to}`),
      isFromIncluded: isIncluded('from', from, 'include_lower'),
      isToIncluded: isIncluded('to', to, 'include_upper'),
    },
    at,
    context,
  )
}

function endIn(members: ReadonlyMap<string, unknown>, names: readonly string[], at: string): string | undefined {
  const given = names.filter((name) => (members.get(name) ?? undefined) !== undefined)
  if (given.length > 1) throw refused(at, `must hold only one of ${names.join(', ')}`)
  return given[0]
}

const formats: ReadonlySet<string> = new Set([
  'epoch_millis',
  'strict_date_optional_time',
  'date_optional_time',
  'strict_date_time',
  'date_time',
  'strict_date',
  'date',
  'yyyy-MM-dd',
  'yyyy-MM-dd HH:mm:ss',
])

function formatIn(value: unknown, at: string): Pick<ConditionContext, 'isInSeconds'> {
  if (value === undefined) return {}
  const names = textAt(value, at).split('||')
  if (names.length === 1 && names[0] === 'epoch_second') return { isInSeconds: true }
  const unknown = names.find((name) => !formats.has(name))
  if (unknown !== undefined) throw refused(at, `is not offered; offered are epoch_second, ${[...formats].join(', ')}`)
  return {}
}
