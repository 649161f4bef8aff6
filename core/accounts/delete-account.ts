import { readRoles } from '../access/read-roles.ts'
import { exceeds, permissionDenied } from '../access/permission.ts'
import { aclOfRole } from '../access/roles.ts'
import { preconditionFailed, requireMatch } from '../concurrency/precondition.ts'
import { DomainError } from '../errors.ts'
import { serviceEvent } from '../events/service-event.ts'
import type { PortsOf } from '../ports.ts'
import { type ChangeContext, findAccount, isOwn, noSuchAccount } from './account-context.ts'
import { tellEngine, tellHooks } from './tell-engine.ts'

/** The ports of {@link deleteAccount}. */
export type DeleteAccountPorts = PortsOf<{
  readonly accounts: readonly ['read', 'remove']
  readonly roles: readonly ['read']
  readonly events: readonly ['publish']
  readonly engine: readonly ['send']
}>

/**
 * Removes an account with its numbers; its tokens end with it and its phones are dropped at the engine. Throws
 * `not_found`, `precondition_failed` as the context demands, `bad_request` for the caller's own account and
 * `permission_denied` for one above his permissions.
 */
export async function deleteAccount(ports: DeleteAccountPorts, id: string, context: ChangeContext): Promise<void> {
  const account = await findAccount(ports.accounts, context, id)
  requireMatch(context.precondition, account)
  if (isOwn(context, account.login)) throw new DomainError('bad_request', 'you cannot delete your own account')
  const custom = await readRoles(ports.roles, context.domain, [account.role])
  if (exceeds(aclOfRole(account.role, custom) ?? {}, context.caller.acl)) throw permissionDenied()
  const { isGiven } = context.precondition
  if (!(await ports.accounts.remove(account, isGiven))) throw isGiven ? preconditionFailed() : noSuchAccount()
  const { login, domain, role, credentialsId } = account
  const event = serviceEvent({
    kind: 'user_destroy',
    id: `user_destroy:${credentialsId}`,
    domain,
    occurredAt: context.clock.now(),
    fields: { 'User-ID': login, 'User-Domain': domain, variable_account_role: role },
  })
  const commands = [{ kind: 'drop-registrations', login }] as const
  await Promise.all([tellHooks(ports.events, event, context.reportUnsent), tellEngine(ports.engine, commands, context)])
}
