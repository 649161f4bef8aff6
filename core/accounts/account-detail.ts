import { scopeOf } from '../access/permission.ts'
import type { Versioned } from '../concurrency/precondition.ts'
import type { Account } from './account.ts'
import type { Caller } from '../auth/token.ts'

/** Where the hashed voicemail PIN is kept among the parameters; the engine's voicemail reads it under this name. */
export const pinHash = 'vm-a1-hash'

/** Stands for a secret that is set. */
const masked = '********'

/**
 * How the engine reaches the account's phones: every registered contact of the dialled user, with the presence id that
 * its channels are told by. The engine fills the variables in at each call.
 */
export const dialString =
  '{^^:sip_invite_domain=${dialed_domain}:presence_id=${dialed_user}@${dialed_domain}}${sofia_contact(*/${dialed_user}@${dialed_domain})}'

/** An account as callers see it, and the record behind it, whose version they are told. */
export interface AccountView {
  readonly detail: Record<string, string>
  readonly record: Versioned
}

/** See {@link accountDetail}. */
export function accountView(account: Account, caller: Pick<Caller, 'acl'>): AccountView {
  return { detail: accountDetail(account, caller), record: account }
}

/** An account as callers see it. The digest that phones log in by is shown to those alone who may change accounts. */
export function accountDetail(account: Account, caller: Pick<Caller, 'acl'>): Record<string, string> {
  const { [pinHash]: pin, ...parameters } = account.parameters
  return Object.fromEntries([
    ...(scopeOf(caller.acl, 'account', 'u') === 'all' ? [['a1-hash', account.a1Hash]] : []),
    ['dial-string', dialString],
    ...Object.entries({ ...engineParameters(account), ...parameters }),
    ...(pin === undefined ? [] : [['vm-password', masked]]),
    ...('jsonrpc-password' in parameters ? [['jsonrpc-password', masked]] : []),
    ...Object.entries(engineVariables(account)).map(([name, value]) => [`variable_${name}`, value]),
  ])
}

/** The directory parameters that every account has, with the defaults of those that nobody set. */
export function engineParameters({ numbers, role }: Account): Record<string, string> {
  return {
    'vm-enabled': 'false',
    'svc-extensions': numbers.join(','),
    'cc-agent': 'false',
    'http-allowed-api': 'voicemail',
    'jsonrpc-allowed-methods': '',
    'jsonrpc-allowed-event-channels': 'demo,conference,presence',
    'svc-admin': String(role === 'admin'),
  }
}

/** The channel variables of an account: its own over the defaults, and those that decide ownership over all. */
export function engineVariables({ domain, login, role, variables }: Account): Record<string, string> {
  return {
    effective_caller_id_name: login,
    outbound_caller_id_name: login,
    ...variables,
    w_domain: domain,
    user_scheme: 'account',
    user_context: domain,
    account_role: role,
  }
}
