/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** An object of JSON. */
export type JsonObject = { readonly [name: string]: Json }

/** Settings by name. */
export type Settings = Readonly<Record<string, string>>

/** A custom role: its own permissions by resource, and the role that it inherits from. */
export interface RoleRecord {
  readonly parent: string | null
  readonly allows: Readonly<Record<string, readonly string[]>>
}

/** An account. `password` is a reference to the environment, read only when the account is created. */
export interface AccountRecord {
  readonly role: string
  readonly password?: string
  readonly parameters: Settings
  readonly variables: Settings
}

/** A number of a blacklist. */
export interface BlacklistEntry {
  /** Epoch milliseconds. */
  readonly expires?: number
  readonly note?: string
}

/** The mail settings of a domain. */
export interface EmailRecord {
  readonly from: string
  readonly description: string
  readonly host: string
  readonly port: number
  readonly secure: boolean
  readonly debug: boolean
  readonly rejectUnauthorized: boolean
  readonly allowPlaintextLogin: boolean
  readonly user?: string
  readonly pass?: string
}

/** A hook: the fields of the API that callers set, all of them. */
export interface HookRecord {
  readonly event: string
  readonly description: string
  readonly enable: boolean
  readonly method: string
  readonly url: string
  readonly fields: readonly string[]
  readonly map: Settings
  readonly filter: JsonObject
  readonly headers: Settings
  readonly auth: HookAuth
  readonly customBody: boolean
  readonly rawBody: string
  readonly rawSubstitution?: boolean
  readonly retries: number
  readonly delay?: number
}

/** The request that a hook makes before each delivery. */
export interface HookAuth {
  readonly enabled: boolean
  readonly url: string
  readonly method: string
  readonly headers: Settings
  readonly map: Settings
  readonly cookie: boolean
}

/** A default route. */
export interface RouteRecord {
  readonly name: string
  readonly pattern: string
  readonly order: number
  readonly disabled: boolean
  readonly timezone: string | null
  readonly description: string
  readonly callflow: readonly JsonObject[]
}

/** A public route: for calls that come from gateways, or from one of them. */
export interface PublicRouteRecord extends RouteRecord {
  readonly gateway?: string
}

/** A gateway, in the words of the API. */
export interface GatewayRecord {
  readonly realm: string
  readonly from_domain: string
  readonly proxy: string
  readonly register: boolean
  readonly username?: string
  readonly from_user?: string
  readonly password?: string
  readonly networks: readonly string[]
  readonly transport: string
  readonly srtp: string
  readonly expires: number
  readonly caller_id: string
  readonly max_calls?: number
  readonly codecs: readonly string[]
  readonly enabled: boolean
  readonly profile: string
}

/** The parts of a domain that a document may describe. A document without a part leaves it as it is. */
export interface Sections {
  readonly parameters: Settings
  readonly variables: Settings
  readonly roles: Readonly<Record<string, RoleRecord>>
  readonly accounts: Readonly<Record<string, AccountRecord>>
  readonly blacklists: Readonly<Record<string, Readonly<Record<string, BlacklistEntry>>>>
  readonly email: EmailRecord | null
  readonly gateways: Readonly<Record<string, GatewayRecord>>
  readonly routes: readonly RouteRecord[]
  readonly publicRoutes: readonly PublicRouteRecord[]
  readonly hooks: readonly HookRecord[]
}

/** A document as it was written: some of the parts. */
export interface DomainDocument extends Partial<Sections> {
  readonly domain: string
}

/** A whole domain. */
export interface DomainState extends Sections {
  readonly domain: string
}

/** A document that cannot be read or carried out. The message names the place and the way out. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
}

/** Returns the parts of a document, and those of a domain where the document has none. */
export function completed(document: DomainDocument, state: DomainState): DomainState {
  return { ...state, ...document }
}

/** Returns the member of a name, or `null`; names such as `constructor` are names like any other. */
export function memberOf<T>(record: Readonly<Record<string, T>>, name: string): T | null {
  return Object.hasOwn(record, name) ? (record[name] ?? null) : null
}
