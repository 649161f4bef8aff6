import type { DomainTokenStore } from './domain-token-store.ts'
import type { RoleStore } from '../access/role-store.ts'
import { type DomainTokenContext, findDomainToken, noSuchToken } from './domain-token.ts'

/** The ports of {@link deleteDomainToken}. */
export interface DeleteDomainTokenPorts {
  readonly domainTokens: Pick<DomainTokenStore, 'read' | 'remove'>
  readonly roles: Pick<RoleStore, 'read'>
}

/** Removes a token. Throws `not_found` and `permission_denied`. */
export async function deleteDomainToken(
  ports: DeleteDomainTokenPorts,
  uuid: string,
  context: DomainTokenContext,
): Promise<void> {
  await findDomainToken(ports, uuid, context)
  if (!(await ports.domainTokens.remove(context.domain, uuid))) throw noSuchToken()
}
