import type { Hook, HookFilter } from '../definition/hook.ts'
import { type JsonObject, findField, textOf } from '../definition/event-fields.ts'
import { type PatternWork, passesFilter } from './matching.ts'

/** The longest found value that is shown, in UTF-16 units. */
const maxFound = 256

/** A filter that an event does not pass, and why. */
export interface Refusal extends HookFilter {
  readonly field: string
  /** The event's value as text, cut to {@link maxFound}; `null` where the field is absent. */
  readonly found: string | null
}

/** Returns every filter of a hook that refuses an event, in the hook's order; none when all pass. */
export async function refusals(
  filter: Hook['filter'],
  event: JsonObject,
  { compile, pause }: PatternWork,
): Promise<Refusal[]> {
  const refusing: Refusal[] = []
  for (const [field, each] of Object.entries(filter)) {
    await pause()
    if (passesFilter(each, field, event, compile)) continue
    refusing.push({ field, operation: each.operation, value: each.value, found: foundText(event, field) })
  }
  return refusing
}

function foundText(event: JsonObject, field: string): string | null {
  const found = findField(event, field)
  return found === undefined ? null : textOf(found).slice(0, maxFound).toWellFormed()
}
