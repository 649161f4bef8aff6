import { type Precondition, requireMatch } from '../../requests/precondition.ts'
import { untilDone } from '../../concurrency/retry.ts'
import type { HookStore } from './hook-store.ts'
import { type HookName, readHook } from './read-hook.ts'

/**
 * Removes a hook: deliveries to it that are under way end as skipped. Throws `not_found`, and `precondition_failed`
 * when it is not as demanded.
 */
export async function deleteHook(
  hooks: Pick<HookStore, 'read' | 'remove'>,
  name: HookName,
  precondition: Precondition,
): Promise<void> {
  await untilDone(async () => {
    const hook = await readHook(hooks, name)
    requireMatch(precondition, hook)
    return (await hooks.remove(hook)) || undefined
  })
}
