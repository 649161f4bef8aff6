import type { QueuedDelivery } from '../delivery/delivery-queue.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { HookStore } from '../definition/hook-store.ts'
import type { Hook } from '../definition/hook.ts'

/** The plan that a reminder names: no attempt is planned for it, so it makes none. */
const reminderDueAt = 0

/**
 * Returns whether a message has to send the notice that is due for its hook. The first message to arrive does. After a
 * mail that could not be sent, only its reminder does, so that other deliveries of the hook do not use up the tries.
 */
export function givesNotice({ noticeDue, noticeTries }: Hook, { dueAt }: Pick<QueuedDelivery, 'dueAt'>): boolean {
  return noticeDue === true && (noticeTries === undefined || dueAt === reminderDueAt)
}

/**
 * Switches a hook off, so that its owner gets a notice; returns its new state. One that was removed or changed in any
 * way since `hook` was read stays as it is: nothing is answered.
 */
export async function disableHook(
  { hooks }: { readonly hooks: Pick<HookStore, 'replace'> },
  hook: Hook,
  reason: string,
): Promise<Hook | undefined> {
  const version = hook.version + 1
  const disabled: Hook = { ...hook, enable: false, disabledReason: reason, noticeDue: true, version }
  return (await hooks.replace(disabled)) ? disabled : undefined
}

/** Returns a message that makes no attempt, but gives the notice that is due for its hook. */
export function reminderOf(
  { id, domain, hookId }: Pick<Delivery, 'id' | 'domain' | 'hookId'>,
  delaySeconds: number,
): QueuedDelivery {
  return { id, domain, hookId, attempt: 1, dueAt: reminderDueAt, delaySeconds }
}
