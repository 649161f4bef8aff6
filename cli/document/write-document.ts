import { stringify } from 'yaml'
import * as z from 'zod'
import { canonical } from './canonical.ts'
import type { BlacklistEntry, DomainState, HookRecord } from './model.ts'
import { hook, hookAuth } from './hook-schema.ts'
import { route } from './route-schema.ts'
import { email, formatVersion, gateway } from './schema.ts'

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
    email: state.email === null ? null : formOf(email, state.email, ['host', 'port', 'secure']),
    gateways: inOrder(state.gateways, (record) => formOf(gateway, record, ['realm'])),
    routes: {
      default: state.routes.map((record) => formOf(route, record, ['pattern', 'order'])),
      public: state.publicRoutes.map((record) => formOf(route, record, ['pattern', 'order'])),
    },
    hooks: state.hooks.map(hookForm),
  }
  return stringify(document, { lineWidth: 0, minContentWidth: 0, aliasDuplicateObjects: false })
}

/** Returns a record without what it has by default if only the members that are always written are given. */
function formOf<T extends object>(schema: z.ZodType, record: T, always: readonly (keyof T & string)[]) {
  const usual = new Map(
    Object.entries(Object(schema.parse(Object.fromEntries(always.map((name) => [name, String(record[name])]))))),
  )
  const members = new Map(Object.entries(record))
  const form = namesIn(schema).map((name): [string, unknown] => {
    const value: unknown = members.get(name)
    const isUsual = !always.some((each) => each === name) && canonical(value) === canonical(usual.get(name))
    return [name, isUsual ? undefined : isPlain(value) ? inOrder(value) : value]
  })
  return given(Object.fromEntries(form))
}

/** Returns the names of a schema's members, in its order. */
function namesIn(schema: z.core.$ZodType): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  return schema instanceof z.ZodPipe ? [...namesIn(schema.in), ...namesIn(schema.out)] : []
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hookForm({ auth, ...rest }: HookRecord): unknown {
  return formOf(hook, { ...rest, auth: formOf(hookAuth, auth, []) }, ['event', 'url'])
}

function blacklistForm(entries: Readonly<Record<string, BlacklistEntry>>): unknown {
  const numbers = Object.keys(entries).sort()
  if (Object.values(entries).every((entry) => Object.keys(entry).length === 0)) return numbers
  return inOrder(entries, ({ expires, note }) =>
    given({ expires: expires === undefined ? undefined : new Date(expires).toISOString(), note }),
  )
}

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
