import type { AccessScope } from '../../core/access/acl.ts'
import { ownPresenceId } from '../../core/access/own.ts'
import type { SearchCaller } from '../../core/cdr/search-cdrs.ts'
import type { Caller } from '../../core/auth/token.ts'

/** Whose CDRs the caller of a request may find: those of the domain, or only his own calls. */
export function searchCaller(request: {
  readonly caller: Caller
  readonly domain: string | null
  readonly since: number | undefined
  readonly scope: AccessScope
}): SearchCaller {
  const { caller, domain, since, scope } = request
  return { username: caller.username, domain, since, presenceId: scope === 'own' ? ownPresenceId(caller) : undefined }
}
