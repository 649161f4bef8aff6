import type * as z from 'zod'
import type { hook } from './hook-schema.ts'
import type { publicRoutes, routes } from './route-schema.ts'
import type { account, email, entry, gateway, role } from './schema.ts'

/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** An object of JSON. */
export type JsonObject = { readonly [name: string]: Json }

/** Settings by name. */
export type Settings = Readonly<Record<string, string>>

/** The output of a schema, which nothing changes. */
type Output<S extends z.ZodType> = Unchanging<z.output<S>>
type Unchanging<T> = T extends JsonObject[] ? readonly JsonObject[] : { readonly [N in keyof T]: Unchanging<T[N]> }

/** A custom role: its own permissions by resource, and the role that it inherits from. */
export type RoleRecord = Output<typeof role>

/** An account. `password` is a reference to the environment, read only when the account is created. */
export type AccountRecord = Output<typeof account>

/** A number of a blacklist; `expires` in epoch milliseconds. */
export type BlacklistEntry = Output<typeof entry>

/** The mail settings of a domain. */
export type EmailRecord = Output<typeof email>

/** A hook: the fields of the API that callers set, all of them. */
export type HookRecord = Output<typeof hook>

/** A public route: for calls that come from gateways, or from one of them. */
export type PublicRouteRecord = Unchanging<z.output<typeof publicRoutes>[number]>

/** A default route. */
export type RouteRecord = Unchanging<z.output<typeof routes>[number]>

/** A gateway, in the words of the API. */
export type GatewayRecord = Output<typeof gateway>

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
