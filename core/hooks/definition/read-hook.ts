import { DomainError } from '../../errors.ts'
import type { HookStore } from './hook-store.ts'
import type { Hook } from './hook.ts'
import { isRecordId } from '../../record-id.ts'

/** Names a hook of a domain. */
export interface HookName {
  readonly domain: string
  readonly id: string
}

/** Returns a hook of a domain. Throws `not_found`. */
export async function readHook(hooks: Pick<HookStore, 'read'>, { domain, id }: HookName): Promise<Hook> {
  const hook = isRecordId(id) ? await hooks.read(domain, id) : undefined
  if (hook === undefined) throw new DomainError('not_found', 'Hook not found')
  return hook
}
