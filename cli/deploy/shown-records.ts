/** The records of a document, from what the platform shows of them. */
import type { Answer } from '../../client/index.ts'
import type {
  AccountRecord,
  EmailRecord,
  GatewayRecord,
  HookRecord,
  JsonObject,
  PublicRouteRecord,
  RouteRecord,
  Settings,
} from '../document/model.ts'

/** Returns the settings of a domain, without those that clients may not set any more. */
export function settingsOf(info: Answer<'readDomain'>['info'], kind: 'parameters' | 'variables'): Settings {
  const ignored = new Set(info.ignored)
  return Object.fromEntries(info[kind].map(split).filter(([name]) => !ignored.has(`${kind}.${name}`)))
}

function split(assignment: string): [string, string] {
  const at = assignment.indexOf('=')
  return [assignment.slice(0, at), assignment.slice(at + 1)]
}

const ofPlatform: ReadonlySet<string> = new Set([
  'a1-hash',
  'dial-string',
  'http-allowed-api',
  'jsonrpc-allowed-methods',
  'jsonrpc-allowed-event-channels',
  'jsonrpc-password',
  'svc-admin',
  'ignored',
  'variable_w_domain',
  'variable_user_scheme',
  'variable_user_context',
  'variable_account_role',
])

/** Returns an account from the detail that the platform shows of it. */
export function accountOf(detail: Readonly<Record<string, string>>): AccountRecord {
  const ignored = new Set((detail['ignored'] ?? '').split(','))
  const own = Object.entries(detail).filter(([name]) => !ofPlatform.has(name) && !ignored.has(name))
  const isVariable = ([name]: [string, string]) => name.startsWith('variable_')
  return {
    role: detail['variable_account_role'] ?? 'user',
    parameters: Object.fromEntries(own.filter((entry) => !isVariable(entry))),
    variables: Object.fromEntries(
      own.filter(isVariable).map(([name, value]) => [name.slice('variable_'.length), value]),
    ),
  }
}

/** Returns an entry of a blacklist without what is absent. */
export function entryOf(expires: number | undefined, note: string | undefined) {
  return { ...(expires === undefined ? {} : { expires }), ...(note === undefined || note === '' ? {} : { note }) }
}

/** Returns mail settings from what the platform shows of them. */
export function emailOf({ from, description, options }: Answer<'readEmailSettings'>): EmailRecord {
  const { tls, auth, ...server } = options
  const { user = '', pass } = auth ?? {}
  return {
    from,
    description,
    ...server,
    allowPlaintextLogin: false,
    ...tls,
    ...(user === '' ? {} : { user }),
    ...(pass === undefined ? {} : { pass }),
  }
}

/** Returns a route from what the platform shows of it. */
export function routeOf(shown: Partial<Answer<'readDefaultRoute'>>): RouteRecord {
  const { name = '', destination_number: pattern = '', order = 0, disabled = false } = shown
  const { fs_timezone: timezone = null, description = '', callflow = [] } = shown
  return { name, pattern, order, disabled, timezone, description, callflow: callflow as readonly JsonObject[] }
}

/** Returns a public route from what the platform shows of it. */
export function publicRouteOf(shown: Partial<Answer<'readPublicRoute'>>): PublicRouteRecord {
  const { gateway } = shown
  return { ...routeOf(shown), ...(gateway === undefined ? {} : { gateway }) }
}

/** Returns a gateway from what the platform shows of it; its state is the engine's, and no part of a document. */
export function gatewayOf(shown: Answer<'readGateway'>['data']): GatewayRecord {
  const { name: _name, domain: _domain, state: _state, status: _status, ...rest } = shown
  const { confirmed_networks: _confirmed, ignored: _ignored, overlaps: _overlaps, ...record } = rest
  return record
}

/** Returns a hook from what the platform shows of it. */
export function hookOf(shown: Answer<'readHook'>['data']): HookRecord {
  const { _id, domain: _domain, disabledReason: _reason, action, ...rest } = shown
  return { ...rest, method: action.method, url: action.url }
}
