import { type Precondition, requireMatch } from '../../requests/precondition.ts'
import { untilDone } from '../../concurrency/retry.ts'
import type { HookStore } from './hook-store.ts'
import type { Hook } from './hook.ts'
import { hookContent, nextVersion, refuseProblems } from './hook-content.ts'
import type { HookInput } from './hook-input.ts'
import { type HookJudges, hookProblems } from './hook-rules.ts'
import { type HookName, readHook } from './read-hook.ts'

/** The ports of a change, its judges and its precondition. */
export interface HookChange {
  readonly hooks: Pick<HookStore, 'read' | 'replace'>
  readonly judges: HookJudges
  readonly precondition: Precondition
}

/**
 * Replaces a hook by another definition: what that leaves out has its default. Its secrets stay. Answers the hook as it
 * is then. Throws `invalid_field` with every broken rule, `not_found`, and `precondition_failed` when it is not as
 * demanded.
 */
export async function replaceHook(
  { hooks, judges, precondition }: HookChange,
  name: HookName,
  input: HookInput,
): Promise<Hook> {
  refuseProblems(hookProblems(input, judges))
  const content = hookContent(input)
  return untilDone(async () => {
    const stored = await readHook(hooks, name)
    requireMatch(precondition, stored)
    const hook = nextVersion(stored, content)
    return (await hooks.replace(hook)) ? hook : undefined
  })
}
