import { stringify } from 'yaml'
import type { BlacklistEntry, DomainState, EmailRecord, GatewayRecord, HookRecord, PublicRouteRecord } from './model.ts'
import { formatVersion } from './parse-document.ts'
import { usualGateway } from './parse-gateway.ts'
import { usualRetries } from './parse-hook.ts'

/** Writes a domain as a document. Values that are the platform's defaults are left out, and names are in order. */
export function writeDocument(state: DomainState): string {
  const document = {
    callplane: formatVersion,
    domain: state.domain,
    parameters: inOrder(state.parameters),
    variables: inOrder(state.variables),
    roles: inOrder(state.roles, ({ parent, allows }) => ({ ...given({ parent }), allows: inOrder(allows) })),
    accounts: inOrder(state.accounts, ({ role, password, parameters, variables }) => ({
      role,
      ...given({ password, parameters: inOrder(parameters), variables: inOrder(variables) }),
    })),
    blacklists: inOrder(state.blacklists, blacklistForm),
    email: state.email === null ? null : emailForm(state.email),
    gateways: inOrder(state.gateways, gatewayForm),
    routes: { default: state.routes.map(routeForm), public: state.publicRoutes.map(routeForm) },
    hooks: state.hooks.map(hookForm),
  }
  return stringify(document, { lineWidth: 0, minContentWidth: 0, aliasDuplicateObjects: false })
}

function blacklistForm(entries: Readonly<Record<string, BlacklistEntry>>): unknown {
  const numbers = Object.keys(entries).sort()
  if (Object.values(entries).every((entry) => Object.keys(entry).length === 0)) return numbers
  return inOrder(entries, ({ expires, note }) =>
    given({ expires: expires === undefined ? undefined : new Date(expires).toISOString(), note }),
  )
}

function emailForm({ from, description, host, port, secure, ...rest }: EmailRecord): unknown {
  const { debug, rejectUnauthorized, allowPlaintextLogin, user, pass } = rest
  return {
    host,
    port,
    ...given({ from, description }),
    secure,
    ...(debug ? { debug } : {}),
    ...(rejectUnauthorized ? {} : { rejectUnauthorized }),
    ...(allowPlaintextLogin ? { allowPlaintextLogin } : {}),
    ...given({ user, pass }),
  }
}

function gatewayForm({ realm, from_domain, proxy, register, enabled, ...rest }: GatewayRecord): unknown {
  const { username, from_user, password, networks, max_calls, codecs } = rest
  const usual = Object.entries(usualGateway).filter(([name, value]) => Reflect.get(rest, name) !== value)
  return {
    realm,
    ...(from_domain === realm ? {} : { from_domain }),
    ...(proxy === realm ? {} : { proxy }),
    ...(register ? {} : { register }),
    ...given({ username, from_user, password, networks }),
    ...Object.fromEntries(usual.map(([name]) => [name, Reflect.get(rest, name)])),
    ...given({ max_calls, codecs }),
    ...(enabled ? {} : { enabled }),
  }
}

function routeForm(route: PublicRouteRecord): unknown {
  const { name, pattern, order, disabled, timezone, description, callflow, gateway } = route
  return {
    ...(name === pattern ? {} : { name }),
    pattern,
    ...given({ gateway }),
    order,
    ...(disabled ? { disabled } : {}),
    ...given({ timezone, description }),
    callflow,
  }
}

function hookForm(hook: HookRecord): unknown {
  const { event, url, method, enable, description, fields, map, filter, headers, auth } = hook
  return {
    event,
    url,
    ...(method === 'POST' ? {} : { method }),
    ...given({ description }),
    ...(enable ? {} : { enable }),
    ...given({ fields, map: inOrder(map), filter: inOrder(filter), headers: inOrder(headers), auth: authForm(auth) }),
    ...(hook.customBody ? { customBody: true } : {}),
    ...given({ rawBody: hook.rawBody }),
    ...(hook.rawSubstitution === true ? { rawSubstitution: true } : {}),
    ...(hook.retries === usualRetries ? {} : { retries: hook.retries }),
    ...given({ delay: hook.delay }),
  }
}

function authForm({
  enabled,
  url,
  method,
  headers,
  map,
  cookie,
}: HookRecord['auth']): Readonly<Record<string, unknown>> {
  return {
    ...(enabled ? { enabled } : {}),
    ...given({ url, method: method === 'GET' ? undefined : method, headers: inOrder(headers), map: inOrder(map) }),
    ...(cookie ? { cookie } : {}),
  }
}

/** Returns the members that say something: not absent, `null`, or empty. */
function given(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)))
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  if (value instanceof Map) return value.size === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Returns a map in the order of its names; names that are numbers stay texts. */
function inOrder<T>(
  map: Readonly<Record<string, T>>,
  form: (value: T) => unknown = (value) => value,
): Map<string, unknown> {
  return new Map(
    Object.entries(map)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, form(value)]),
  )
}
