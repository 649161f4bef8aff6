import { scopeOf } from '../access/permission.ts'
import type { Versioned } from '../requests/precondition.ts'
import type { Account } from './account.ts'
import { dialStringOf } from './dial-string.ts'
import type { Caller } from '../access/token.ts'
import { type ClientVariables, servedSettings } from '../client-names/client-names.ts'
import { isSafeName } from '../requests/safe-text.ts'

/** The parameter that holds the hashed voicemail PIN; the engine's voicemail reads it under this name. */
export const pinHash = 'vm-a1-hash'

/** Served in place of the digest of a missing PIN; the engine would take the phone's password for the PIN. */
const noPin = 'none'

const masked = '********'

/** The dial string with which the engine reaches the account's phones: every registered contact of the dialled user. */
export const dialString = dialStringOf('${dialed_user}')

/** An account as callers see it, and the record with its version. */
export interface AccountView {
  readonly detail: Record<string, string>
  readonly record: Versioned
}

/** The viewer of an account, and the operator's additions to the names that clients may set. */
export interface ViewContext {
  readonly caller: Pick<Caller, 'acl'>
  readonly clientVariables: ClientVariables
}

/** Returns an account with its {@link accountDetail}. */
export function accountView(account: Account, context: ViewContext): AccountView {
  return { detail: accountDetail(account, context), record: account }
}

/**
 * Returns an account as callers see it. The digest that phones log in with is shown only to callers who may change
 * accounts. `ignored` names the keys, separated by commas, that are not served to the engine because clients may no
 * longer set them; it is absent if there are none.
 */
export function accountDetail(account: Account, { caller, clientVariables }: ViewContext): Record<string, string> {
  const { [pinHash]: pin, ...parameters } = account.parameters
  const { ignored } = servedOf(account, clientVariables)
  return Object.fromEntries([
    ...(scopeOf(caller.acl, 'account', 'u') === 'all' ? [['a1-hash', account.a1Hash]] : []),
    ['dial-string', dialString],
    ...Object.entries({ 'vm-enabled': 'false', ...engineParameters(account), ...parameters }),
    ...(pin === undefined ? [] : [['vm-password', masked]]),
    ...('jsonrpc-password' in parameters ? [['jsonrpc-password', masked]] : []),
    ...Object.entries(engineVariables(account)).map(([name, value]) => [`variable_${name}`, value]),
    ...(ignored.length === 0 ? [] : [['ignored', ignored.join(',')]]),
  ])
}

/** The inputs that decide which settings the engine is served. */
export interface ServedContext {
  readonly clientVariables: ClientVariables
  /** The digest of the domain's voicemail PIN, which applies to accounts without a PIN. */
  readonly domainPinHash: string | undefined
}

/** Returns the settings of an account that the engine is served, with the defaults of the domain and of the service. */
export function servedAccount(account: Account, { clientVariables, domainPinHash }: ServedContext) {
  const { parameters, variables } = servedOf(account, clientVariables)
  // The engine keeps messages in a folder of this name.
  const noMailbox: Record<string, string> = isSafeName(account.login) ? {} : { 'vm-enabled': 'false' }
  return {
    parameters: {
      ...engineParameters(account),
      [pinHash]: domainPinHash ?? noPin,
      ...parameters,
      ...noMailbox,
      'a1-hash': account.a1Hash,
    },
    variables: engineVariables({ ...account, variables }),
  }
}

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

/**
 * Returns the directory parameters that every account has, with defaults for unset ones. The engine gets no default of
 * `vm-enabled`: it would hide that of the domain, and close a mailbox that a route opens.
 */
function engineParameters({ numbers, role }: Account): Record<string, string> {
  return {
    'svc-extensions': numbers.join(','),
    'cc-agent': 'false',
    'http-allowed-api': 'voicemail',
    'jsonrpc-allowed-methods': '',
    'jsonrpc-allowed-event-channels': 'demo,conference,presence',
    'svc-admin': String(role === 'admin'),
  }
}

/**
 * Returns the channel variables of an account. Its own override the defaults, and those that decide ownership override
 * all.
 */
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
