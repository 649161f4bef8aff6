import type { Acl } from '../../access/acl.ts'
import { scopeOf } from '../../access/permission.ts'
import type { CreatedHooks } from './create-hooks.ts'
import type { Hook } from './hook.ts'

const maskedValue = '********'

/** A hook as callers see it. */
export interface PresentedHook extends Omit<Hook, 'id' | 'secrets' | 'createdAt' | 'version' | 'fields'> {
  readonly _id: string
  readonly fields: string[]
}

/**
 * Presents a hook to a caller with these permissions: its id as `_id`, and none of its secrets. Headers and
 * the map of its pre-request often hold credentials of the receiver, so a caller without `hook` `u` sees their names
 * only. Every member is named here, so that no further one is shown by accident.
 */
export function presentHook(hook: Hook, acl: Acl): PresentedHook {
  const shown = scopeOf(acl, 'hook', 'u') === null ? masked : (values: Values) => values
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
    headers: shown(hook.headers),
    auth: { ...hook.auth, headers: shown(hook.auth.headers), map: shown(hook.auth.map) },
    customBody: hook.customBody,
    rawBody: hook.rawBody,
    ...(hook.rawSubstitution === true ? { rawSubstitution: true } : {}),
    retries: hook.retries,
    ...(hook.delay === undefined ? {} : { delay: hook.delay }),
    ...(hook.disabledReason === undefined ? {} : { disabledReason: hook.disabledReason }),
  }
}

type Values = Readonly<Record<string, string>>

function masked(values: Values): Values {
  return Object.fromEntries(Object.keys(values).map((name) => [name, maskedValue]))
}

/** Presents the answer to a create: the hooks, how many, and the secret of each, which is shown this once. */
export function presentCreatedHooks({ hooks, secrets }: CreatedHooks, acl: Acl) {
  const count = hooks.length
  return {
    status: 'OK' as const,
    data: {
      result: { ok: 1 as const, n: count },
      ops: hooks.map((hook) => presentHook(hook, acl)),
      insertedCount: count,
      insertedIds: hooks.map(({ id }) => id),
      secrets,
    },
  }
}
