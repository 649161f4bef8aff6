import type { DomainTokenStore } from './domain-token-store.ts'
import type { RoleStore } from '../access/role-store.ts'
import {
  type DomainTokenContext,
  type ShownDomainToken,
  findDomainToken,
  noSuchToken,
  shownDomainToken,
} from './domain-token.ts'

/** The ports of {@link updateDomainToken}. */
export interface UpdateDomainTokenPorts {
  readonly domainTokens: Pick<DomainTokenStore, 'read' | 'setEnabled'>
  readonly roles: Pick<RoleStore, 'read'>
}

/** Enables or disables a token, from the very next request on. Throws `not_found` and `permission_denied`. */
export async function updateDomainToken(
  ports: UpdateDomainTokenPorts,
  uuid: string,
  isEnabled: boolean,
  context: DomainTokenContext,
): Promise<ShownDomainToken> {
  await findDomainToken(ports, uuid, context)
  const changed = await ports.domainTokens.setEnabled(context.domain, uuid, isEnabled)
  if (changed === undefined) throw noSuchToken()
  return shownDomainToken(changed)
}
