import { canonical } from './canonical.ts'
import {
  type AccountRecord,
  DocumentError,
  type DomainState,
  type EmailRecord,
  type GatewayRecord,
  type HookRecord,
  type Settings,
} from './model.ts'
import type { RecordKind, Records } from './steps.ts'

/** Stands for a secret that the platform keeps and does not show. */
export const kept = '********'

/** The parameter of domains and accounts that is a secret. */
export const pinParameter = 'vm-password'

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
  const accounts = Object.entries(state.accounts).map(([login, account]) => [login, maskedAccount(account)])
  return {
    ...state,
    parameters: maskedSettings(state.parameters, isPin),
    accounts: Object.fromEntries(accounts),
    email: state.email === null ? null : maskedEmail(state.email),
    gateways: Object.fromEntries(
      Object.entries(state.gateways).map(([name, gateway]) => [name, maskedGateway(gateway)]),
    ),
    hooks: state.hooks.map(maskedHook),
  }
}

/** Returns the one text of a record in which it is compared: with masked secrets. */
export function comparable<K extends RecordKind>(kind: K, record: Records[K] | null): string {
  return canonical(record === null ? null : maskedRecord(kind, record))
}

/** Returns a record with masked secrets. */
export function maskedRecord<K extends RecordKind>(kind: K, record: Records[K]): Records[K] {
  const masks: { readonly [P in RecordKind]?: (record: Records[P]) => Records[P] } = {
    account: maskedAccount,
    email: maskedEmail,
    gateway: maskedGateway,
    hook: maskedHook,
    parameters: (parameters) => maskedSettings(parameters, isPin),
  }
  return masks[kind]?.(record) ?? record
}

function maskedAccount({ password: _password, ...account }: AccountRecord): AccountRecord {
  return { ...account, parameters: maskedSettings(account.parameters, isPin) }
}

function maskedEmail(email: EmailRecord): EmailRecord {
  return email.pass === undefined ? email : { ...email, pass: kept }
}

function maskedGateway(gateway: GatewayRecord): GatewayRecord {
  return gateway.password === undefined ? gateway : { ...gateway, password: kept }
}

function maskedHook(hook: HookRecord): HookRecord {
  const shown = (settings: Settings) => maskedSettings(settings, isSecretValue)
  const auth = { ...hook.auth, headers: shown(hook.auth.headers), map: shown(hook.auth.map) }
  return { ...hook, headers: shown(hook.headers), auth }
}

function maskedSettings(settings: Settings, isSecret: (name: string) => boolean): Settings {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, isSecret(name) ? kept : value]))
}

/** Returns whether a parameter is a secret. */
export function isPin(name: string): boolean {
  return name === pinParameter
}
