import { readRoles } from '../access/read-roles.ts'
import { beyondOwnPermissions, exceeds } from '../access/permission.ts'
import { aclOfRole } from '../access/roles.ts'
import { noSecondFactor, replaceFactor } from './second-factor.ts'
import { DomainError } from '../errors.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import type { RoleStore } from '../access/role-store.ts'
import { type AccountContext, findAccount, isOwn } from '../accounts/account-context.ts'

/** The ports of {@link endAccountSecondFactor}. */
export interface EndSecondFactorPorts {
  readonly accounts: Pick<AccountStore, 'read' | 'update'>
  readonly roles: Pick<RoleStore, 'read'>
}

/**
 * Removes the second factor of another account, for a user who lost the device. Throws `not_found` when there is no
 * such account or it has none, `permission_denied` for an account above the caller's permissions, and `bad_request` for
 * the caller's own: removing that requires a code.
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
  if (exceeds(aclOfRole(account.role, custom) ?? {}, context.caller.acl)) throw beyondOwnPermissions()
  if (account.secondFactor === undefined) throw noSecondFactor()
  await replaceFactor(ports.accounts, account, undefined)
}
