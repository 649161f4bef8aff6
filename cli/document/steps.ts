import type {
  AccountRecord,
  BlacklistEntry,
  EmailRecord,
  GatewayRecord,
  HookRecord,
  PublicRouteRecord,
  RoleRecord,
  RouteRecord,
  Settings,
} from './model.ts'

/** The records of each kind. */
export interface Records {
  readonly role: RoleRecord
  readonly blacklist: BlacklistEntry
  readonly account: AccountRecord
  readonly parameters: Settings
  readonly variables: Settings
  readonly email: EmailRecord
  readonly gateway: GatewayRecord
  readonly route: RouteRecord
  readonly publicRoute: PublicRouteRecord
  readonly hook: HookRecord
}

/** A kind of records. */
export type RecordKind = keyof Records

/** A kind of records without names. */
export type UnnamedKind = 'route' | 'publicRoute' | 'hook'

/** The change of one record by one request. */
export interface StepOf<K extends RecordKind> {
  readonly kind: K
  /** The name of the record: of a blacklist's number `list/number`; routes and hooks have none, nor have settings. */
  readonly name: string
  /** The record as it must be, with masked secrets; `null`: there must be none. */
  readonly before: Records[K] | null
  /** The record as it will be, with references to secrets; `null`: it is removed. */
  readonly after: Records[K] | null
}

/** A step of any kind. */
export type Step = { [K in RecordKind]: StepOf<K> }[RecordKind]

/** Returns whether a step adds, changes or removes its record. */
export function changeOf({ before, after }: Pick<Step, 'before' | 'after'>): 'add' | 'change' | 'remove' {
  if (before === null) return 'add'
  return after === null ? 'remove' : 'change'
}
