import type { Input } from '../../client/index.ts'
import type {
  AccountRecord,
  EmailRecord,
  GatewayRecord,
  HookRecord,
  PublicRouteRecord,
  Settings,
} from '../document/model.ts'
import { isSecretValue, kept, resolveReference } from '../document/secrets.ts'
import { type SecretSource, resolved } from './secret-source.ts'

/** Returns the fields of a new account. */
export function accountBody({ role, parameters, variables }: AccountRecord, secrets: SecretSource) {
  return {
    role,
    parameters: assignmentsBetween({}, parameters, secrets),
    variables: assignmentsBetween({}, variables, secrets),
  }
}

/** Returns the changes between settings: `name=value`; `name=` removes. A stored secret stays. */
export function assignmentsBetween(before: Settings, after: Settings, secrets: SecretSource): string[] {
  const isSame = (name: string, value: string) => before[name] === value || before[name] === kept
  const changed = Object.entries(after).filter(([name, value]) => !isSame(name, value))
  const removed = Object.keys(before).filter((name) => after[name] === undefined)
  return [
    ...removed.map((name) => `${name}=`),
    ...Object.entries(resolved(Object.fromEntries(changed), secrets)).map(([name, value]) => `${name}=${value}`),
  ]
}

/** Returns mail settings as the API takes them. A stored password stays. */
export function emailBody(
  { from, description, rejectUnauthorized, allowPlaintextLogin, user, pass, ...server }: EmailRecord,
  before: EmailRecord | null,
  secrets: SecretSource,
): Input<'replaceEmailSettings'>['body'] {
  const given = keptOrResolved('pass', pass, before?.pass, secrets)
  const auth = { ...(user === undefined ? {} : { user }), ...given }
  return {
    provider: 'smtp',
    description,
    ...(from === '' ? {} : { from }),
    options: {
      ...server,
      tls: { rejectUnauthorized, ...(allowPlaintextLogin ? { allowPlaintextLogin } : {}) },
      ...(Object.keys(auth).length === 0 ? {} : { auth }),
    },
  }
}

/** Returns a password as the API takes it; none is left out, and a stored one stays. */
function keptOrResolved(name: string, given: string | undefined, stored: string | undefined, secrets: SecretSource) {
  if (given === undefined) return {}
  return resolved({ [name]: stored === undefined ? given : kept }, secrets)
}

/** Returns a hook as the API takes it. Stored headers and fields that hold secrets stay. */
export function hookBody(hook: HookRecord, stored: HookRecord | null, secrets: SecretSource) {
  const { method, url, delay, headers, auth, ...rest } = hook
  return {
    ...rest,
    filter: rest.filter as Input<'replaceHook'>['body']['filter'] & object,
    action: { type: 'web' as const, method, url },
    headers: valuesOf(headers, stored?.headers ?? {}, secrets),
    auth: {
      ...auth,
      headers: valuesOf(auth.headers, stored?.auth.headers ?? {}, secrets),
      map: valuesOf(auth.map, stored?.auth.map ?? {}, secrets),
    },
    ...(delay === undefined ? {} : { delay }),
  }
}

function valuesOf(values: Settings, stored: Settings, secrets: SecretSource): Settings {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const before = stored[name]
      if (before !== undefined) return [name, isSecretValue(name) ? before : value]
      return [name, resolveReference(value, secrets.env)]
    }),
  )
}

/** Returns a gateway as the API takes it. A stored password stays. */
export function gatewayBody(
  { password, ...gateway }: GatewayRecord,
  stored: GatewayRecord | null,
  secrets: SecretSource,
) {
  const given = keptOrResolved('password', password, stored?.password, secrets)
  // Words of closed lists are texts in a document; the platform judges them.
  return { ...gateway, ...given } as Input<'replaceGateway'>['body'] & object
}

/** Returns a route as the API takes it; public ones may have a gateway. */
export function routeBody({ pattern, timezone, ...rest }: PublicRouteRecord) {
  return { ...rest, destination_number: pattern, fs_timezone: timezone }
}
