import { CallplaneError, type Answer, type Client } from '../../client/index.ts'
import type {
  AccountRecord,
  DomainState,
  EmailRecord,
  GatewayRecord,
  HookRecord,
  PublicRouteRecord,
  RoleRecord,
  RouteRecord,
} from '../document/model.ts'
import { compareHooks, comparing } from '../document/normal-form.ts'
import { accountOf, emailOf, entryOf, gatewayOf, hookOf, publicRouteOf, routeOf, settingsOf } from './shown-records.ts'

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
  readonly publicRouteIds: readonly string[]
  readonly hookIds: readonly string[]
}

const atOnce = 4

const platformRoles: ReadonlySet<string> = new Set(['admin', 'user', 'root'])

/** Reads everything of a domain that a document describes. Secrets are masked as the platform masks them. */
export async function readDomain(target: Target): Promise<FoundDomain> {
  const { client, domain, signal } = target
  const { info } = await client.call('readDomain', { params: { domain_name: domain }, signal })
  // In the order of documents, so that the ids stay with their records.
  const routes = (await readRoutes(target)).toSorted((a, b) => comparing('route')(a.record, b.record))
  const publicRoutes = (await readPublicRoutes(target)).toSorted((a, b) => comparing('publicRoute')(a.record, b.record))
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
      gateways: await readGateways(target),
      routes: routes.map(({ record }) => record),
      publicRoutes: publicRoutes.map(({ record }) => record),
      hooks: hooks.map(({ record }) => record),
    },
    routeIds: routes.map(({ id }) => id),
    publicRouteIds: publicRoutes.map(({ id }) => id),
    hookIds: hooks.map(({ id }) => id),
  }
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

async function readBlacklists({ client, domain, signal }: Target): Promise<DomainState['blacklists']> {
  const query = { domain, limit: 1000 }
  const lists: [string, DomainState['blacklists'][string]][] = []
  for (const { name = '' } of await all(client.pages('listBlacklists', { query, signal }), (page) => page)) {
    const pages = client.pages('readBlacklist', { params: { blacklist_name: name }, query, signal })
    const entries = await all(pages, (page) => page)
    lists.push([
      name,
      Object.fromEntries(entries.map(({ number = '', expires, note }) => [number, entryOf(expires, note)])),
    ])
  }
  return Object.fromEntries(lists)
}

async function readEmail({ client, domain, signal }: Target): Promise<EmailRecord | null> {
  const found = await client.call('readEmailSettings', { query: { domain }, signal }).catch(ifMissing)
  return found === null ? null : emailOf(found)
}

/** A record without a name, and its id. */
interface Found<T> {
  readonly id: string
  readonly record: T
}

async function readRoutes({ client, domain, signal }: Target): Promise<Found<RouteRecord>[]> {
  const pages = client.pages('listDefaultRoutes', { query: { domain, limit: 1000 }, signal })
  return (await all(pages, (page) => page)).map(({ _id: id = '', ...shown }) => ({ id, record: routeOf(shown) }))
}

async function readPublicRoutes({ client, domain, signal }: Target): Promise<Found<PublicRouteRecord>[]> {
  const pages = client.pages('listPublicRoutes', { query: { domain, limit: 1000 }, signal })
  return (await all(pages, (page) => page)).map(({ _id: id = '', ...shown }) => ({ id, record: publicRouteOf(shown) }))
}

// The lists of gateways and hooks show whole records, since no columns were asked for.

async function readGateways({ client, domain, signal }: Target): Promise<Record<string, GatewayRecord>> {
  const pages = client.pages('listGateways', { query: { domain, limit: 1000 }, signal })
  const gateways = await all(pages, ({ data }) => data as Answer<'readGateway'>['data'][])
  return Object.fromEntries(gateways.map((gateway) => [gateway.name, gatewayOf(gateway)]))
}

async function readHooks({ client, domain, signal }: Target): Promise<Found<HookRecord>[]> {
  const pages = client.pages('listHooks', { query: { domain, limit: 1000 }, signal })
  const hooks = await all(pages, ({ data }) => data as Answer<'readHook'>['data'][])
  return hooks.map((hook) => ({ id: hook._id, record: hookOf(hook) }))
}

/** Returns the rows of all pages. */
async function all<P, R>(pages: AsyncIterable<P>, rowsOf: (page: P) => readonly R[]): Promise<R[]> {
  const rows: R[] = []
  for await (const page of pages) rows.push(...rowsOf(page))
  return rows
}

/** Returns `null` for a record that is not there; any other error is thrown. */
export function ifMissing(error: unknown): null {
  if (error instanceof CallplaneError && error.status === 404) return null
  throw error
}
