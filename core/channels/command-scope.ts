import type { AccessScope } from '../access/acl.ts'
import { ownPresenceId } from '../access/own.ts'
import type { OrderedBy } from '../commands.ts'
import type { Caller } from '../auth/token.ts'

/** Who orders something of the engine, and how far his permission reaches. */
export interface Orderer {
  readonly caller: Caller
  /** `null` is root working in every domain. */
  readonly domain: string | null
  readonly scope: AccessScope
  readonly requestId?: string | undefined
}

/** The channels that an order may touch: those of the domain, and of these only the caller's own if that is all he may. */
export function commandScope({ caller, domain, scope, requestId }: Orderer): OrderedBy {
  return { domain, presenceId: scope === 'own' ? ownPresenceId(caller) : null, requestId }
}
