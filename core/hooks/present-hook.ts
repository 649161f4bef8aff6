import type { Hook } from './hook.ts'
import type { CreatedHooks } from './create-hooks.ts'

/** A hook as callers see it. */
export interface PresentedHook extends Omit<Hook, 'id' | 'secrets' | 'createdAt' | 'version' | 'fields'> {
  readonly _id: string
  readonly fields: string[]
}

/** Shows a hook: its id as `_id`, and nothing of its secrets. Every member is named here, so that none slips out. */
export function presentHook(hook: Hook): PresentedHook {
  return {
    _id: hook.id,
    domain: hook.domain,
    event: hook.event,
    enable: hook.enable,
    description: hook.description,
    action: hook.action,
    fields: [...hook.fields],
    map: hook.map,
    filter: hook.filter,
    headers: hook.headers,
    auth: hook.auth,
    customBody: hook.customBody,
    rawBody: hook.rawBody,
    retries: hook.retries,
    ...(hook.delay === undefined ? {} : { delay: hook.delay }),
    ...(hook.disabledReason === undefined ? {} : { disabledReason: hook.disabledReason }),
  }
}

/** The answer to a create: the hooks, how many, and each one's secret this once. */
export function presentCreatedHooks({ hooks, secrets }: CreatedHooks) {
  const count = hooks.length
  return {
    status: 'OK' as const,
    data: {
      result: { ok: 1 as const, n: count },
      ops: hooks.map(presentHook),
      insertedCount: count,
      insertedIds: hooks.map(({ id }) => id),
      secrets,
    },
  }
}
