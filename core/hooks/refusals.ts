import type { Hook, HookFilter } from './hook.ts'
import { findField, type JsonObject, textOf } from './event-fields.ts'
import { passesFilter } from './matching.ts'
import type { PatternCompiler } from './pattern.ts'

/** The longest found value that is shown, in UTF-16 units. */
const maxFound = 256

/** A filter that an event does not pass, and why. */
export interface Refusal extends HookFilter {
  readonly field: string
  /** The event's value as text, cut to {@link maxFound}; `null` where the field is absent. */
  readonly found: string | null
}

/** Every filter of a hook that refuses an event, in the hook's order; none when all pass. */
export function refusals(filter: Hook['filter'], event: JsonObject, compile: PatternCompiler): Refusal[] {
  return Object.entries(filter)
    .filter(([field, each]) => !passesFilter(each, field, event, compile))
    .map(([field, { operation, value }]) => ({ field, operation, value, found: foundText(event, field) }))
}

function foundText(event: JsonObject, field: string): string | null {
  const found = findField(event, field)
  return found === undefined ? null : textOf(found).slice(0, maxFound).toWellFormed()
}
