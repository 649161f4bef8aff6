import { readRoles } from '../access/read-roles.ts'
import { beyondOwnPermissions, exceeds } from '../access/permission.ts'
import { aclOfRole } from '../access/roles.ts'
import { preconditionFailed, requireMatch } from '../requests/precondition.ts'
import { DomainError } from '../errors.ts'
import { serviceEvent } from '../events/service-event.ts'
import type { AccountStore } from './account-store.ts'
import type { RoleStore } from '../access/role-store.ts'
import type { EventSink } from '../events/event-sink.ts'
import type { CallEngine } from '../commands/call-engine.ts'
import { type ChangeContext, findAccount, isOwn, noSuchAccount } from './account-context.ts'
import { notifyEngine, publishEvent } from '../commands/notify-engine.ts'

/** The ports of {@link deleteAccount}. */
export interface DeleteAccountPorts {
  readonly accounts: Pick<AccountStore, 'read' | 'remove'>
  readonly roles: Pick<RoleStore, 'read'>
  readonly events: Pick<EventSink, 'publish'>
  readonly engine: Pick<CallEngine, 'send'>
}

/**
 * Removes an account with its numbers; its tokens end with it, and the engine drops its phones and ends its calls.
 * Throws `not_found`, `precondition_failed` as the context demands, `bad_request` for the caller's own account and
 * `permission_denied` for one above the caller's permissions.
 */
export async function deleteAccount(ports: DeleteAccountPorts, id: string, context: ChangeContext): Promise<void> {
  const account = await findAccount(ports.accounts, context, id)
  requireMatch(context.precondition, account)
  if (isOwn(context, account.login)) throw new DomainError('bad_request', 'you cannot delete your own account')
  const custom = await readRoles(ports.roles, context.domain, [account.role])
  if (exceeds(aclOfRole(account.role, custom) ?? {}, context.caller.acl)) throw beyondOwnPermissions()
  const { isGiven } = context.precondition
  if (!(await ports.accounts.remove(account, isGiven))) throw isGiven ? preconditionFailed() : noSuchAccount()
  const { login, domain, role, credentialsId } = account
  const event = serviceEvent({
    kind: 'user_destroy',
    id: `user_destroy:${credentialsId}`,
    domain,
    occurredAt: context.clock.now(),
    requestId: context.requestId,
    fields: { 'User-ID': login, 'User-Domain': domain, variable_account_role: role },
  })
  const commands = [{ kind: 'drop-registrations', login }] as const
  await Promise.all([
    publishEvent(ports.events, event, context.reportUnsent),
    notifyEngine(ports.engine, commands, context),
  ])
}
