import { readRoles } from '../access/read-roles.ts'
import { beyondOwnPermissions, exceeds } from '../access/permission.ts'
import { noSuchDomain } from '../access/resolve-domain.ts'
import { aclOfRole } from '../access/roles.ts'
import { DomainError, invalidField } from '../errors.ts'
import { serviceEvent } from '../events/service-event.ts'
import type { AccountCreation, AccountStore } from './account-store.ts'
import type { Account } from './account.ts'
import type { RoleStore } from '../access/role-store.ts'
import type { PasswordHasher } from '../secrets.ts'
import type { EventSink } from '../events/event-sink.ts'
import type { CallEngine } from '../commands/call-engine.ts'
import { type AccountChange, type AccountInput, checkAgentContact, checkRole, readChange } from './account-change.ts'
import type { ChangeContext } from './account-context.ts'
import { accountDetail, pinHash } from './account-detail.ts'
import { mergeAssignments } from '../client-names/assignments.ts'
import { notifyEngine, publishEvent } from '../commands/notify-engine.ts'
import { isSafeName, unsafeName } from '../requests/safe-text.ts'

/** The most accounts of one domain, by the contract's section on limits. */
const maxAccounts = 10_000

/** The ports of {@link createAccount}. */
export interface CreateAccountPorts {
  readonly accounts: Pick<AccountStore, 'create' | 'read'>
  readonly roles: Pick<RoleStore, 'read'>
  readonly passwords: Pick<PasswordHasher, 'hash'>
  readonly events: Pick<EventSink, 'publish'>
  readonly engine: Pick<CallEngine, 'send'>
}

/**
 * Creates an account with its login and numbers reserved, and notifies hooks and engine. Throws `invalid_field`,
 * `permission_denied` for a role above the caller's, and `conflict` for a login or number in use and a full domain.
 */
export async function createAccount(
  ports: CreateAccountPorts,
  input: AccountInput & { readonly login: string; readonly password: string; readonly role: string },
  context: ChangeContext,
): Promise<Record<string, string>> {
  const { domain, passwordMinLength, clientVariables: added } = context
  const change = readChange(input, { domain, passwordMinLength, added })
  const custom = await readRoles(ports.roles, domain, [input.role])
  checkRole(input.role, custom)
  if (exceeds(aclOfRole(input.role, custom) ?? {}, context.caller.acl)) throw beyondOwnPermissions()
  if (!isSafeName(input.login)) throw unsafeName('login')
  if (input.login === '__proto__') throw invalidField('login', 'is a name that is not allowed')
  await checkAgentContact(ports.accounts, change, { domain, login: input.login })
  const account = newAccount(input, change, await ports.passwords.hash(input.password), context)
  refuse(await ports.accounts.create(account, maxAccounts))
  await Promise.all([
    publishEvent(ports.events, creationEvent(account, context.requestId), context.reportUnsent),
    notifyEngine(ports.engine, [{ kind: 'flush-account', login: account.login }], context),
  ])
  return accountDetail(account, context)
}

function newAccount(
  { login, password, role }: { readonly login: string; readonly password: string; readonly role: string },
  change: AccountChange,
  passwordHash: string,
  { domain, clock, random, a1Hash }: ChangeContext,
): Account {
  const parameters = mergeAssignments({}, change.parameters)
  if (change.voicemailPin) parameters[pinHash] = a1Hash(login, domain, change.voicemailPin)
  return {
    domain,
    login,
    role,
    passwordHash,
    a1Hash: a1Hash(login, domain, password),
    numbers: change.numbers?.length ? change.numbers : [login],
    parameters,
    variables: mergeAssignments({}, change.variables),
    createdAt: clock.now(),
    credentialsId: random.uuid(),
    version: 1,
  }
}

function refuse(creation: AccountCreation): void {
  if (creation === 'domain_missing') throw noSuchDomain()
  if (creation === 'login_taken') throw new DomainError('conflict', 'an account with this login exists')
  if (creation === 'number_taken') throw new DomainError('conflict', 'another account has one of these numbers')
  if (creation === 'domain_full') throw new DomainError('conflict', `a domain has at most ${maxAccounts} accounts`)
}

function creationEvent({ domain, login, role, credentialsId, createdAt }: Account, requestId: string | undefined) {
  return serviceEvent({
    kind: 'user_create',
    id: `user_create:${credentialsId}`,
    domain,
    occurredAt: createdAt,
    requestId,
    fields: { 'User-ID': login, 'User-Domain': domain, 'User-State': 'NONREG', variable_account_role: role },
  })
}
