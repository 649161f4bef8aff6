import { canonical } from './canonical.ts'
import { DocumentError, type DomainState, type Settings } from './model.ts'
import type { RecordKind, Records } from './steps.ts'

/** Stands for a secret that the platform keeps and does not show. */
export const kept = '********'

/** The parameter of domains and accounts that is a secret. */
const pinParameter = 'vm-password'

const reference = /^\$\{env:([A-Z_][A-Z0-9_]{0,127})\}$/

/** Returns whether a text is a reference to the environment, `${env:NAME}`. */
export function isReference(text: string): boolean {
  return reference.test(text)
}

/** Returns whether the value of a header, or of a field of a pre-request, is a secret, by its name. */
export function isSecretValue(name: string): boolean {
  return /auth|cookie|key|pass|secret|signature|token/i.test(name)
}

/** Returns the text that a reference stands for. Throws if the environment does not have it. */
export function resolveReference(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const name = reference.exec(text)?.[1]
  if (name === undefined) return text
  const value = env[name]
  if (value === undefined || value === '') throw new DocumentError(`the environment variable ${name} is not set`)
  return value
}

/** Returns a domain as it is exported and compared: each secret as {@link kept}, without the passwords of accounts. */
export function masked(state: DomainState): DomainState {
  const each = <K extends 'account' | 'gateway'>(kind: K, records: Readonly<Record<string, Records[K]>>) =>
    Object.fromEntries(Object.entries(records).map(([name, record]) => [name, maskedRecord(kind, record)]))
  return {
    ...state,
    parameters: maskedRecord('parameters', state.parameters),
    accounts: each('account', state.accounts),
    email: state.email === null ? null : maskedRecord('email', state.email),
    gateways: each('gateway', state.gateways),
    hooks: state.hooks.map((hook) => maskedRecord('hook', hook)),
  }
}

/** Returns the one text of a record in which it is compared: with masked secrets. */
export function comparable<K extends RecordKind>(kind: K, record: Records[K] | null): string {
  return canonical(record === null ? null : maskedRecord(kind, record))
}

/** Returns a record with masked secrets, an account without its password. */
export function maskedRecord<K extends RecordKind>(kind: K, record: Records[K]): Records[K] {
  return secretsOf[kind]?.(record, () => kept) ?? record
}

/**
 * Returns the secrets of a record that are stored or referred to, by their paths. The password of an account is none:
 * it is never kept.
 */
export function secretsIn<K extends RecordKind>(kind: K, record: Records[K]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  secretsOf[kind]?.(record, (path, secret) => (found.set(path, secret), secret))
  return found
}

/** Replaces a secret at a path. */
type Replace = (path: string, secret: string) => string

/** Where the records of each kind have secrets: replaces each. */
const secretsOf: { readonly [K in RecordKind]?: (record: Records[K], replace: Replace) => Records[K] } = {
  account: ({ password: _password, ...account }, replace) => ({
    ...account,
    parameters: replaced(account.parameters, isPin, '', replace),
  }),
  parameters: (parameters, replace) => replaced(parameters, isPin, '', replace),
  email: ({ pass, ...rest }, replace) => (pass === undefined ? rest : { ...rest, pass: replace('pass', pass) }),
  gateway: ({ password, ...rest }, replace) =>
    password === undefined ? rest : { ...rest, password: replace('password', password) },
  hook: (hook, replace) => ({
    ...hook,
    headers: replaced(hook.headers, isSecretValue, 'headers.', replace),
    auth: {
      ...hook.auth,
      headers: replaced(hook.auth.headers, isSecretValue, 'auth.headers.', replace),
      map: replaced(hook.auth.map, isSecretValue, 'auth.map.', replace),
    },
  }),
}

function replaced(settings: Settings, isSecret: (name: string) => boolean, path: string, replace: Replace): Settings {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, isSecret(name) ? replace(`${path}${name}`, value) : value]),
  )
}

/** Returns whether a parameter is a secret. */
export function isPin(name: string): boolean {
  return name === pinParameter
}
