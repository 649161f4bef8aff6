import { requireMatch } from '../../requests/precondition.ts'
import { untilDone } from '../../concurrency/retry.ts'
import type { FieldProblem } from '../../errors.ts'
import { jsonBytes } from '../../requests/json-bytes.ts'
import type { Hook } from './hook.ts'
import { type HookContent, hookContent, nextVersion, refuseProblems } from './hook-content.ts'
import type { HookInput } from './hook-input.ts'
import { hookProblems } from './hook-rules.ts'
import { type HookName, readHook } from './read-hook.ts'
import type { HookChange } from './replace-hook.ts'

/** The fields of a hook that are to be changed; `delay: null` gives it the standard waits again. */
export type HookPatch = {
  readonly [F in keyof HookInput]?: HookInput[F] | undefined | (F extends 'delay' ? null : never)
}

/** The most bytes of a hook as JSON: what the store takes of one item is 400 KB, its secrets and notes included. */
const maxHookBytes = 300 * 1024

/**
 * Changes fields of a hook, each as a whole; the others stay. Answers the hook as it is then. Throws `invalid_field`
 * with every rule that the change breaks, `not_found`, and `precondition_failed` when it is not as demanded. Rules that
 * became stricter since the hook was made are asked of what is changed only, so that it can still be switched off.
 */
export async function updateHook(
  { hooks, judges, precondition }: HookChange,
  name: HookName,
  patch: HookPatch,
): Promise<Hook> {
  return untilDone(async () => {
    const stored = await readHook(hooks, name)
    requireMatch(precondition, stored)
    const input = merged(stored, patch)
    const touched = touchedBy(patch)
    refuseProblems(hookProblems(input, judges).filter((problem) => touched.has(topOf(problem))))
    const content = hookContent(input)
    refuseProblems(sizeProblems(content, patch))
    const hook = nextVersion(stored, content)
    return (await hooks.replace(hook)) ? hook : undefined
  })
}

function merged(stored: Hook, patch: HookPatch): HookInput {
  const { delay, ...rest } = patch
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  return {
    ...stored,
    // A body that was never given stays so, for a custom one has to be.
    rawBody: stored.customBody || stored.rawBody !== '' ? stored.rawBody : undefined,
    ...given,
    delay: delay === undefined ? stored.delay : (delay ?? undefined),
  }
}

/** A new hook is as large as a request may be. Changed field by field it could become larger than the store takes. */
function sizeProblems(content: HookContent, patch: HookPatch): FieldProblem[] {
  if (jsonBytes(content) <= maxHookBytes) return []
  const problem = `makes the hook larger than ${maxHookBytes} bytes as JSON`
  const grown = Object.keys(patch).filter((field) => field !== 'enable')
  return grown.map((field) => ({ field, problem }))
}

/** The fields that a change can break: its own, and the body when it begins to count. */
function touchedBy(patch: HookPatch): ReadonlySet<string> {
  return new Set(patch.customBody === undefined ? Object.keys(patch) : [...Object.keys(patch), 'rawBody'])
}

/** `filter` of `filter.Call-Direction.value`. */
function topOf({ field }: FieldProblem): string {
  return field.split('.')[0] ?? field
}
