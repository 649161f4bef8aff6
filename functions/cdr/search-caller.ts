import type { AccessScope } from '../../core/access/acl.ts'
import { ownPresenceId } from '../../core/access/permission.ts'
import type { SearchCaller } from '../../core/cdr/search/search-cdrs.ts'
import type { Caller } from '../../core/access/token.ts'

/** Returns whose CDRs the caller of a request may find: those of the domain, or only those of its own calls. */
export function searchCaller(request: {
  readonly caller: Caller
  readonly domain: string | null
  readonly since: number | undefined
  readonly scope: AccessScope
}): SearchCaller {
  const { caller, domain, since, scope } = request
  return { username: caller.username, domain, since, presenceId: scope === 'own' ? ownPresenceId(caller) : undefined }
}
