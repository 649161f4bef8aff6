import { CallplaneError, type Answer, type Client } from '../../client/index.ts'
import type {
  AccountRecord,
  DomainState,
  EmailRecord,
  HookRecord,
  JsonObject,
  RoleRecord,
  RouteRecord,
  Settings,
} from '../document/model.ts'
import { compareHooks, compareRoutes } from '../document/normal-form.ts'
import { kept } from '../document/secrets.ts'

/** The domain to work in, and the way to it. */
export interface Target {
  readonly client: Client
  readonly domain: string
  readonly signal: AbortSignal
}

/** A domain as it is now, and the ids of records without names, in the order of these records. */
export interface FoundDomain {
  readonly state: DomainState
  readonly routeIds: readonly string[]
  readonly hookIds: readonly string[]
}

/** Accounts that are read at once. */
const atOnce = 4

/** Roles that every domain has. */
const platformRoles: ReadonlySet<string> = new Set(['admin', 'user', 'root'])

/** Reads everything of a domain that a document describes. Secrets are masked as the platform masks them. */
export async function readDomain(target: Target): Promise<FoundDomain> {
  const { client, domain, signal } = target
  const { info } = await client.call('readDomain', { params: { domain_name: domain }, signal })
  // In the order of documents, so that the ids stay with their records.
  const routes = (await readRoutes(target)).toSorted((a, b) => compareRoutes(a.record, b.record))
  const hooks = (await readHooks(target)).toSorted((a, b) => compareHooks(a.record, b.record))
  return {
    state: {
      domain: info.name,
      parameters: settingsOf(info, 'parameters'),
      variables: settingsOf(info, 'variables'),
      roles: await readRoles(target),
      accounts: await readAccounts(target),
      blacklists: await readBlacklists(target),
      email: await readEmail(target),
      routes: routes.map(({ record }) => record),
      hooks: hooks.map(({ record }) => record),
    },
    routeIds: routes.map(({ id }) => id),
    hookIds: hooks.map(({ id }) => id),
  }
}

/** Returns the settings of a domain, without those that clients may not set any more. */
export function settingsOf(info: Answer<'readDomain'>['info'], kind: 'parameters' | 'variables'): Settings {
  const ignored = new Set(info.ignored)
  return Object.fromEntries(info[kind].map(split).filter(([name]) => !ignored.has(`${kind}.${name}`)))
}

function split(assignment: string): [string, string] {
  const at = assignment.indexOf('=')
  return [assignment.slice(0, at), assignment.slice(at + 1)]
}

/** Reads the custom roles of a domain. */
export async function readRoles({ client, domain, signal }: Target): Promise<Record<string, RoleRecord>> {
  const roles: [string, RoleRecord][] = []
  for await (const page of client.pages('listRoles', { query: { domain, limit: 1000 }, signal })) {
    for (const { roles: name = '', allows = {}, parents = [] } of page.info) {
      if (!platformRoles.has(name)) roles.push([name, { parent: parents[0] ?? null, allows }])
    }
  }
  return Object.fromEntries(roles)
}

async function readAccounts({ client, domain, signal }: Target): Promise<Record<string, AccountRecord>> {
  const logins: string[] = []
  for await (const page of client.pages('listAccounts', { query: { domain, limit: 1000 }, signal })) {
    logins.push(...Object.keys(page.data))
  }
  const accounts: [string, AccountRecord][] = []
  const rest = [...logins]
  const work = async () => {
    for (let login = rest.shift(); login !== undefined; login = rest.shift()) {
      const input = { params: { account_id: login }, query: { domain }, signal }
      const detail = await client.call('readAccount', input).catch(ifMissing)
      if (detail !== null) accounts.push([login, accountOf(detail.data)])
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return Object.fromEntries(accounts)
}

/** Names that the platform itself shows with every account. */
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

async function readBlacklists({ client, domain, signal }: Target): Promise<DomainState['blacklists']> {
  const names: string[] = []
  for await (const page of client.pages('listBlacklists', { query: { domain, limit: 1000 }, signal })) {
    names.push(...page.flatMap(({ name }) => name ?? []))
  }
  const lists: [string, DomainState['blacklists'][string]][] = []
  for (const name of names) {
    const entries: [string, DomainState['blacklists'][string][string]][] = []
    const input = { params: { blacklist_name: name }, query: { domain, limit: 1000 }, signal }
    for await (const page of client.pages('readBlacklist', input)) {
      for (const { number = '', expires, note } of page) entries.push([number, entryOf(expires, note)])
    }
    lists.push([name, Object.fromEntries(entries)])
  }
  return Object.fromEntries(lists)
}

/** Returns an entry of a blacklist without what is absent. */
export function entryOf(expires: number | undefined, note: string | undefined) {
  return { ...(expires === undefined ? {} : { expires }), ...(note === undefined || note === '' ? {} : { note }) }
}

async function readEmail({ client, domain, signal }: Target): Promise<EmailRecord | null> {
  const found = await client.call('readEmailSettings', { query: { domain }, signal }).catch(ifMissing)
  return found === null ? null : emailOf(found)
}

/** Returns mail settings from what the platform shows of them. */
export function emailOf({ from, description, options }: Answer<'readEmailSettings'>): EmailRecord {
  const { host, port, secure, debug, tls, auth } = options
  return {
    from,
    description,
    host,
    port,
    secure,
    debug,
    rejectUnauthorized: tls.rejectUnauthorized,
    allowPlaintextLogin: tls.allowPlaintextLogin ?? false,
    ...(auth?.user === undefined || auth.user === '' ? {} : { user: auth.user }),
    ...(auth?.pass === undefined ? {} : { pass: kept }),
  }
}

async function readRoutes({ client, domain, signal }: Target): Promise<{ id: string; record: RouteRecord }[]> {
  const routes: { id: string; record: RouteRecord }[] = []
  for await (const page of client.pages('listDefaultRoutes', { query: { domain, limit: 1000 }, signal })) {
    for (const { _id: id = '', ...shown } of page) routes.push({ id, record: routeOf(shown) })
  }
  return routes
}

/** Returns a route from what the platform shows of it. */
export function routeOf(shown: Partial<Answer<'readDefaultRoute'>>): RouteRecord {
  const { name = '', destination_number: pattern = '', order = 0, disabled = false } = shown
  const { fs_timezone: timezone = null, description = '', callflow = [] } = shown
  return { name, pattern, order, disabled, timezone, description, callflow: callflow as readonly JsonObject[] }
}

async function readHooks({ client, domain, signal }: Target): Promise<{ id: string; record: HookRecord }[]> {
  const hooks: { id: string; record: HookRecord }[] = []
  for await (const page of client.pages('listHooks', { query: { domain, limit: 1000 }, signal })) {
    for (const hook of page.data) {
      // The list shows whole hooks, since no columns were asked for.
      hooks.push({ id: hook._id ?? '', record: hookOf(hook as Answer<'readHook'>['data']) })
    }
  }
  return hooks
}

/** Returns a hook from what the platform shows of it. */
export function hookOf(shown: Answer<'readHook'>['data']): HookRecord {
  const { action, delay, filter } = shown
  return {
    event: shown.event,
    description: shown.description,
    enable: shown.enable,
    method: action.method,
    url: action.url,
    fields: shown.fields,
    map: shown.map,
    filter,
    headers: shown.headers,
    auth: shown.auth,
    customBody: shown.customBody,
    rawBody: shown.rawBody,
    retries: shown.retries,
    ...(delay === undefined ? {} : { delay }),
  }
}

/** Returns `null` for a record that is not there; any other error is thrown. */
export function ifMissing(error: unknown): null {
  if (error instanceof CallplaneError && error.status === 404) return null
  throw error
}
