import type { AccessScope } from '../access/acl.ts'
import { ownPresenceId } from '../access/own.ts'
import type { OrderedBy } from '../commands/commands.ts'
import type { Caller } from '../access/token.ts'

/** The caller of an order, and the reach of its permission. */
export interface Orderer {
  readonly caller: Caller
  /** `null` is root working in every domain. */
  readonly domain: string | null
  readonly scope: AccessScope
  readonly requestId?: string | undefined
}

/** Returns the channels that an order may touch: the domain's, or only the caller's own if the permission says so. */
export function commandScope({ caller, domain, scope, requestId }: Orderer): OrderedBy {
  return { domain, presenceId: scope === 'own' ? ownPresenceId(caller) : null, requestId }
}
