import { readRoles } from '../access/read-roles.ts'
import { beyondOwnPermissions, exceeds, permissionDenied } from '../access/permission.ts'
import { lowerAscii } from '../access/resolve-domain.ts'
import { aclOfRole } from '../access/roles.ts'
import { requireMatch } from '../requests/precondition.ts'
import { untilDone } from '../concurrency/retry.ts'
import { DomainError, invalidField } from '../errors.ts'
import type { CustomRole } from '../access/custom-role.ts'
import type { Account } from './account.ts'
import type { AccountStore } from './account-store.ts'
import type { RoleStore } from '../access/role-store.ts'
import type { PasswordHasher } from '../secrets.ts'
import type { CallEngine } from '../commands/call-engine.ts'
import { type AccountChange, type AccountInput, checkAgentContact, checkRole, readChange } from './account-change.ts'
import { type ChangeContext, findAccount, isOwn } from './account-context.ts'
import { type AccountView, accountView, pinHash } from './account-detail.ts'
import { mergeAssignments } from '../client-names/assignments.ts'
import { notifyEngine } from '../commands/notify-engine.ts'

/** The ports of {@link updateAccount}. */
export interface UpdateAccountPorts {
  readonly accounts: Pick<AccountStore, 'read' | 'update'>
  readonly roles: Pick<RoleStore, 'read'>
  readonly passwords: Pick<PasswordHasher, 'hash'>
  readonly engine: Pick<CallEngine, 'send'>
}

/** The fields of an update; login and domain must be those of the account. */
export interface UpdateInput extends AccountInput {
  readonly login?: string | undefined
  readonly domain?: string | undefined
}

/**
 * Changes an account's password, role, parameters and variables, merged by name; everything else stays. A new password
 * or role ends every token of the account. Concurrent changes are all kept. Throws `permission_denied` for changes that
 * the caller may not make, `bad_request` for an empty update and for a change of the caller's own role,
 * `precondition_failed` as the context demands, and `conflict` when another account has one of the new numbers.
 */
export async function updateAccount(
  ports: UpdateAccountPorts,
  id: string,
  input: UpdateInput,
  context: ChangeContext,
): Promise<AccountView> {
  if (context.scope === 'own') checkOwnChange(context, id, input)
  if (Object.values(input).every((value) => value === undefined)) {
    throw new DomainError('bad_request', 'give at least one of password, role, parameters and variables')
  }
  const { domain, passwordMinLength, clientVariables: added } = context
  const change = readChange(input, { domain, passwordMinLength, added })
  checkRole(change.role, await readRoles(ports.roles, domain, [change.role]))
  const passwordHash = change.password === undefined ? undefined : await ports.passwords.hash(change.password)
  const account = await untilDone(async () => {
    const previous = await findAccount(ports.accounts, context, id)
    requireMatch(context.precondition, previous)
    checkSame('login', input.login, previous.login)
    checkSame('domain', input.domain, previous.domain)
    const custom = await readRoles(ports.roles, domain, [previous.role, change.role])
    checkRoleChange(previous, change, custom, context)
    await checkAgentContact(ports.accounts, change, previous)
    const next = changed(previous, { ...change, passwordHash }, context)
    const outcome = await ports.accounts.update(next, previous)
    if (outcome === 'number_taken') throw new DomainError('conflict', 'another account has one of these numbers')
    return outcome === 'updated' ? next : undefined
  })
  await notifyEngine(ports.engine, [{ kind: 'flush-account', login: account.login }], context)
  return accountView(account, context)
}

/** With permission for its own account only, a caller may change password, language and voicemail. */
function checkOwnChange(context: ChangeContext, id: string, input: UpdateInput): void {
  const names = (items: readonly string[] = []) => items.map((item) => item.split('=')[0] ?? '')
  const isAllowed =
    isOwn(context, id) &&
    input.role === undefined &&
    names(input.parameters).every((name) => name === 'password' || name.startsWith('vm-')) &&
    names(input.variables).every((name) => name === 'default_language')
  if (!isAllowed)
    throw permissionDenied('your role may change password, language and voicemail of your own account only')
}

function checkSame(field: string, given: string | undefined, actual: string): void {
  if (given !== undefined && lowerAscii(given) !== lowerAscii(actual)) throw invalidField(field, 'cannot be changed')
}

/** No caller may change an account above its own permissions, raise one above them, or change its own role. */
function checkRoleChange(
  previous: Account,
  { role }: AccountChange,
  custom: readonly CustomRole[],
  context: ChangeContext,
): void {
  const touched = role === undefined ? [previous.role] : [previous.role, role]
  if (context.scope === 'all' && touched.some((name) => exceeds(aclOfRole(name, custom) ?? {}, context.caller.acl))) {
    throw beyondOwnPermissions()
  }
  if (role !== undefined && role !== previous.role && isOwn(context, previous.login)) {
    throw new DomainError('bad_request', 'you cannot change your own role')
  }
}

function changed(
  previous: Account,
  change: AccountChange & { readonly passwordHash: string | undefined },
  { random, a1Hash }: ChangeContext,
): Account {
  const { login, domain } = previous
  const role = change.role ?? previous.role
  const endsTokens = change.password !== undefined || role !== previous.role
  const numbers = change.numbers ?? previous.numbers
  return {
    ...previous,
    role,
    ...(change.password === undefined || change.passwordHash === undefined
      ? {}
      : { passwordHash: change.passwordHash, a1Hash: a1Hash(login, domain, change.password) }),
    numbers: numbers.length > 0 ? numbers : [login],
    parameters: withPin(mergeAssignments(previous.parameters, change.parameters), change, (pin) =>
      a1Hash(login, domain, pin),
    ),
    variables: mergeAssignments(previous.variables, change.variables),
    credentialsId: endsTokens ? random.uuid() : previous.credentialsId,
    version: previous.version + 1,
  }
}

function withPin(
  { [pinHash]: previous, ...parameters }: Record<string, string>,
  { voicemailPin }: AccountChange,
  hash: (pin: string) => string,
): Record<string, string> {
  const kept = voicemailPin === undefined ? previous : voicemailPin && hash(voicemailPin)
  return kept ? { ...parameters, [pinHash]: kept } : parameters
}
