import type { PlatformEvent } from '../../events/platform-event.ts'
import type { Hook, HookFilter } from '../definition/hook.ts'
import { type JsonObject, findField, textOf } from '../definition/event-fields.ts'
import { type PatternCompiler, readPattern } from '../../requests/pattern.ts'
import { invalidField } from '../../errors.ts'

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

/**
 * The limits of pattern work, in steps: a step is one part of a compiled pattern at one character, 16 to 25 ns for slow
 * patterns.
 */
export const patternWork = {
  /** For all filters of a domain over one event: 100 ms for the slowest patterns. */
  event: 4_000_000,
  /** After so many steps the process does other work first. */
  slice: 50_000,
  /** The cost of each match besides its steps and the compilation: looking the pattern up and preparing the match. */
  base: 1_000,
  /** The cost of a pattern that cannot be compiled. It was refused when its hook was written, so there are few. */
  refused: 5_000,
} as const

/** Lets the process do other work, of other tenants as well; resolves when it is the caller's turn again. */
export type Rest = () => Promise<void>

/** The work of patterns over one event, or for one request. */
export interface PatternWork {
  /** The same compiler, while there are steps left; then it, and the matchers that it made, throw `invalid_field`. */
  readonly compile: PatternCompiler
  readonly isSpent: () => boolean
  /** Rests when enough work has been done since the last time. To be called between two filters. */
  readonly pause: () => Promise<void>
}

/**
 * Limits the work of patterns. It counts steps and no time, so that a busy machine judges as an idle one does, and no
 * event of a tenant with ordinary patterns fails because others kept the processor.
 */
export function limitedPatterns(compile: PatternCompiler, rest: Rest, limit: number): PatternWork {
  let spent = 0
  let restedAt = 0
  const spend = (steps: number) => {
    if (spent >= limit) throw invalidField('filter', 'its patterns are too much work: make them simpler, or fewer')
    spent += steps
  }
  return {
    compile: (pattern, flags, tenant) => {
      spend(patternWork.base)
      const matcher = compile(pattern, flags, tenant)
      spent += matcher === undefined ? patternWork.refused : (matcher.compileSteps ?? 0)
      if (matcher === undefined) return undefined
      const { size } = matcher
      const matches = (text: string) => {
        spend(size * (text.length + 1))
        return matcher.matches(text)
      }
      return { ...matcher, matches }
    },
    isSpent: () => spent >= limit,
    pause: async () => {
      if (spent - restedAt < patternWork.slice) return
      restedAt = spent
      await rest()
    },
  }
}
