import { readRoles } from '../access/read-roles.ts'
import { exceeds, permissionDenied } from '../access/permission.ts'
import { aclOfRole } from '../access/roles.ts'
import { noSecondFactor, replaceFactor } from '../auth/second-factor.ts'
import { DomainError } from '../errors.ts'
import type { PortsOf } from '../ports.ts'
import { type AccountContext, findAccount, isOwn } from './account-context.ts'

/** The ports of {@link endAccountSecondFactor}. */
export type EndSecondFactorPorts = PortsOf<{
  readonly accounts: readonly ['read', 'update']
  readonly roles: readonly ['read']
}>

/**
 * Takes the second factor of another account away, for a user who lost his device. Throws `not_found` when there is no
 * such account or it has none, `permission_denied` for an account above the caller's permissions, and `bad_request` for
 * his own: that takes a code.
 */
export async function endAccountSecondFactor(
  ports: EndSecondFactorPorts,
  id: string,
  context: AccountContext,
): Promise<void> {
  const account = await findAccount(ports.accounts, context, id)
  if (isOwn(context, account.login)) {
    throw new DomainError('bad_request', 'your own second factor ends by DELETE /api/v2/whoami/totp with a code')
  }
  const custom = await readRoles(ports.roles, context.domain, [account.role])
  if (exceeds(aclOfRole(account.role, custom) ?? {}, context.caller.acl)) throw permissionDenied()
  if (account.secondFactor === undefined) throw noSecondFactor()
  await replaceFactor(ports.accounts, account, undefined)
}
