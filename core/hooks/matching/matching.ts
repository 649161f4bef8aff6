import type { PlatformEvent } from '../../events/platform-event.ts'
import type { Hook, HookFilter } from '../definition/hook.ts'
import { findField, type JsonObject, textOf } from '../definition/event-fields.ts'
import { type PatternCompiler, readPattern } from '../../requests/pattern.ts'
import type { PatternWork } from './pattern-work.ts'

/** Decimal text. Longer digit strings are identifiers, and are compared as text. */
const numeric = /^-?\d{1,40}(?:\.\d{1,40})?$/
const whole = /^-?\d+$/

/** Below zero, zero or above, as `left` is below, equal to or above `right`. Whole numbers compare exactly. */
function compareNumbers(left: string, right: string): number {
  if (whole.test(left) && whole.test(right)) {
    const difference = BigInt(left) - BigInt(right)
    return difference === 0n ? 0 : difference < 0n ? -1 : 1
  }
  return Number(left) - Number(right)
}

/** Two numeric texts compare as numbers, any others as text by their UTF-16 units. */
function compare(left: string, right: string): number {
  if (numeric.test(left) && numeric.test(right)) return compareNumbers(left, right)
  return left === right ? 0 : left < right ? -1 : 1
}

/** `null` and the text `null` stand for "the field is absent". */
function passesPresence(operation: '==' | '!=', present: boolean): boolean {
  return operation === '==' ? !present : present
}

/** Returns whether an event passes one filter. */
export function passesFilter(filter: HookFilter, field: string, event: JsonObject, compile: PatternCompiler): boolean {
  const found = findField(event, field)
  const { operation } = filter
  const namesAbsence = filter.value === null || filter.value === 'null'
  if (namesAbsence && (operation === '==' || operation === '!=')) {
    return passesPresence(operation, found !== undefined)
  }
  if (found === undefined) return operation === '!='
  const actual = textOf(found)
  const wanted = String(filter.value)
  switch (operation) {
    case '==':
      return compare(actual, wanted) === 0
    case '!=':
      return compare(actual, wanted) !== 0
    case '<':
      return compare(actual, wanted) < 0
    case '>':
      return compare(actual, wanted) > 0
    case '<=':
      return compare(actual, wanted) <= 0
    case '>=':
      return compare(actual, wanted) >= 0
    case 'reg':
      return readPattern(wanted, compile)?.matches(actual) ?? false
  }
}

/**
 * Returns whether a hook fires: it is enabled, names exactly this event of this domain, and all its filters pass. Those
 * with a pattern come last, since they cost most.
 */
export async function matches(hook: Hook, event: PlatformEvent, { compile, pause }: PatternWork): Promise<boolean> {
  if (!hook.enable || hook.domain !== event.domain || hook.event !== event.name) return false
  const filters = Object.entries(hook.filter)
  const ofTenant: PatternCompiler = (pattern, flags) => compile(pattern, flags, hook.domain)
  const passes = ([field, filter]: [string, HookFilter]) => passesFilter(filter, field, event.fields, ofTenant)
  if (!filters.filter(([, { operation }]) => operation !== 'reg').every(passes)) return false
  for (const filter of filters.filter(([, { operation }]) => operation === 'reg')) {
    await pause()
    if (!passes(filter)) return false
  }
  return true
}
