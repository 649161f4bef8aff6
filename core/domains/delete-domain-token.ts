import type { PortsOf } from '../ports.ts'
import { type DomainTokenContext, findDomainToken, noSuchToken } from './domain-token.ts'

/** The ports of {@link deleteDomainToken}. */
export type DeleteDomainTokenPorts = PortsOf<{
  readonly domainTokens: readonly ['read', 'remove']
  readonly roles: readonly ['read']
}>

/** Ends a token for good. Throws `not_found` and `permission_denied`. */
export async function deleteDomainToken(
  ports: DeleteDomainTokenPorts,
  uuid: string,
  context: DomainTokenContext,
): Promise<void> {
  await findDomainToken(ports, uuid, context)
  if (!(await ports.domainTokens.remove(context.domain, uuid))) throw noSuchToken()
}
