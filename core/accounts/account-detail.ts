import { scopeOf } from '../access/permission.ts'
import type { Versioned } from '../concurrency/precondition.ts'
import type { Account } from './account.ts'
import type { Caller } from '../auth/token.ts'
import { type ClientVariables, servedSettings } from '../client-names/client-names.ts'

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

/** Who sees an account, and what the operator adds to the names that clients may set. */
export interface ViewContext {
  readonly caller: Pick<Caller, 'acl'>
  readonly clientVariables: ClientVariables
}

/** See {@link accountDetail}. */
export function accountView(account: Account, context: ViewContext): AccountView {
  return { detail: accountDetail(account, context), record: account }
}

/**
 * An account as callers see it. The digest that phones log in by is shown to those alone who may change accounts.
 * `ignored` names the keys, separated by commas, that the engine is not served because clients may not set them any
 * more; it is absent when there are none.
 */
export function accountDetail(account: Account, { caller, clientVariables }: ViewContext): Record<string, string> {
  const { [pinHash]: pin, ...parameters } = account.parameters
  const { ignored } = servedOf(account, clientVariables)
  return Object.fromEntries([
    ...(scopeOf(caller.acl, 'account', 'u') === 'all' ? [['a1-hash', account.a1Hash]] : []),
    ['dial-string', dialString],
    ...Object.entries({ ...engineParameters(account), ...parameters }),
    ...(pin === undefined ? [] : [['vm-password', masked]]),
    ...('jsonrpc-password' in parameters ? [['jsonrpc-password', masked]] : []),
    ...Object.entries(engineVariables(account)).map(([name, value]) => [`variable_${name}`, value]),
    ...(ignored.length === 0 ? [] : [['ignored', ignored.join(',')]]),
  ])
}

/** What decides over what the engine is served of an account. */
export interface ServedContext {
  readonly clientVariables: ClientVariables
  /** The digest of the voicemail PIN of the domain, which accounts without a PIN have. */
  readonly domainPinHash: string | undefined
}

/** Returns what the engine is served of an account, with the defaults of the domain and of the service. */
export function servedAccount(account: Account, { clientVariables, domainPinHash }: ServedContext) {
  const { parameters, variables } = servedOf(account, clientVariables)
  const defaults = domainPinHash === undefined ? {} : { [pinHash]: domainPinHash }
  return {
    parameters: { ...engineParameters(account), ...defaults, ...parameters, 'a1-hash': account.a1Hash },
    variables: engineVariables({ ...account, variables }),
  }
}

/** The settings of clients that the engine is served, and the keys of the detail that are not. */
function servedOf(
  { domain, parameters: { [pinHash]: pin, ...given }, variables: set }: Account,
  added: ClientVariables,
) {
  const parameters = servedSettings('accountParameters', given, { domain, added })
  const variables = servedSettings('accountVariables', set, { domain, added })
  return {
    parameters: { ...parameters.served, ...(pin === undefined ? {} : { [pinHash]: pin }) },
    variables: variables.served,
    ignored: [...parameters.ignored, ...variables.ignored.map((name) => `variable_${name}`)],
  }
}

/** The directory parameters that every account has, with the defaults of those that nobody set. */
function engineParameters({ numbers, role }: Account): Record<string, string> {
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
function engineVariables({ domain, login, role, variables }: Account): Record<string, string> {
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
