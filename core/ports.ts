/**
 * Everything the platform's rules need from outside. A port is a role; each has a memory adapter and at least one
 * real one, held to one contract suite. "Not found" is `undefined`; an outage is a `DomainError` with
 * `store_unavailable`; no other error crosses a port.
 */
import type { CommandOutcome, CommandRecord, CommandScope, EngineCommand } from './commands.ts'
import type {
  Account,
  ConnectorReport,
  Delivery,
  DeliveryAttempt,
  Domain,
  Hook,
  PlatformEvent,
  Presence,
  Token,
} from './model.ts'

/** The time. Everything that asks for it is given one, so that tests can move it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
}

/** Randomness, for identifiers and secrets. */
export interface Randomness {
  /** A UUID v4 in lower case. */
  uuid(): string
  /** Bytes that nobody can guess. */
  bytes(length: number): Uint8Array
}

/** The tenants. */
export interface DomainStore {
  /** Writes a new domain; `false` when one of that name exists. */
  create(domain: Domain): Promise<boolean>
  read(name: string): Promise<Domain | undefined>
  /** Every domain, ordered by name. */
  list(): Promise<Domain[]>
}

/** How a write that reserves names ended. */
export type AccountCreation = 'created' | 'login_taken' | 'number_taken' | 'domain_missing' | 'domain_full'

/** The accounts of the tenants. Every method works inside the one domain that it is given. */
export interface AccountStore {
  /**
   * Writes an account, reserves its login and its numbers and counts it in its domain: all of it or nothing.
   * `limit` is the most accounts that the domain may have.
   */
  create(account: Account, limit: number): Promise<AccountCreation>
  /** Finds an account by its login, without regard to case. */
  read(domain: string, login: string): Promise<Account | undefined>
  /** Finds an account by one of its numbers. */
  readByNumber(domain: string, number: string): Promise<Account | undefined>
  /** Every account of the domain, ordered by lower-cased login. */
  list(domain: string): Promise<Account[]>
  /**
   * Replaces an account whose version is still `account.version - 1`, and moves its number reservations from those of
   * `previous`. `version_changed`: somebody else wrote first, or it is gone.
   */
  update(account: Account, previous: Account): Promise<'updated' | 'version_changed' | 'number_taken'>
  /** Removes an account, its reservations and its count; `false` when it is not there. */
  remove(account: Account): Promise<boolean>
}

/** The records of logins. */
export interface TokenStore {
  /** Keeps a token. When the user then has more than `limit` live ones, the oldest go. */
  create(token: Token, limit: number): Promise<void>
  /** Ends a token; `false` when it was not there. */
  remove(domain: string, login: string, key: string): Promise<boolean>
}

/** What a credential is judged by. */
export interface Credentials {
  readonly token: Token | undefined
  /** Absent for root. */
  readonly account: Account | undefined
  /** Absent for root. */
  readonly domain: Domain | undefined
}

/** Reads all that decides whether a request is authentic, in one consistent read. */
export interface CredentialReader {
  read(who: { readonly domain: string; readonly login: string; readonly key: string }): Promise<Credentials>
}

/** Which users were active when; feeds the session counts of the status report. */
export interface SessionStore {
  /** Notes that a user was active at `at` (epoch milliseconds). Written at most once a minute a user and process. */
  touch(username: string, domain: string, at: number): Promise<void>
  /** The users seen at or after `since`, and the highest such count that was ever read, this one included. */
  count(since: number): Promise<{ users: number; domains: number; highest: number }>
}

/** Counts failed logins inside a moving window. Keys are opaque text. */
export interface LoginThrottle {
  /** The failures of each key since `since`, in the order of `keys`, and when the oldest of them was. */
  read(keys: readonly string[], since: number): Promise<{ failures: number; oldestAt: number }[]>
  /** Adds one failure to each key. */
  fail(keys: readonly string[], at: number): Promise<void>
  /** Forgets the failures of a key. */
  clear(key: string): Promise<void>
}

/** Salted, slow password hashes. */
export interface PasswordHasher {
  /** An argon2id hash in PHC text form. */
  hash(password: string): Promise<string>
  /** Whether a password has this hash. With no hash it takes the same time and answers `false`. */
  verify(password: string, hash: string | undefined): Promise<boolean>
}

/** Secrets of the deployment itself, read at most once in five minutes so that a rotated one is taken up. */
export interface SecretReader {
  /** The root user's password. */
  rootPassword(): Promise<string>
  /** What the engine presents at `/engine/*`. */
  engineCredential(): Promise<string>
}

/** Seals small secrets (signing keys, passwords of others) for storage, bound to the purpose given. */
export interface SecretBox {
  seal(plain: Uint8Array, purpose: string): Promise<string>
  /** Fails when the text was not sealed for this purpose. */
  open(sealed: string, purpose: string): Promise<Uint8Array>
}

/** Which accounts have phones on line and calls up, as the engine told. */
export interface PresenceStore {
  read(domain: string, login: string): Promise<Presence | undefined>
  list(domain: string): Promise<Presence[]>
  /** Replaces what was known of an account, unless that was observed later. */
  put(presence: Presence): Promise<void>
}

/** Sends commands to the engine, each at most once. */
export interface CallEngine {
  /**
   * Records the command, queues it and waits for its outcome. What nobody has taken within `waitMs` is withdrawn and
   * has ended as `expired`; `undefined`: it was taken, and no outcome came in time.
   */
  run(command: EngineCommand, scope: CommandScope, waitMs: number): Promise<CommandOutcome | undefined>
  /** Records and queues the command and does not wait. */
  send(command: EngineCommand, scope: CommandScope): Promise<void>
}

/** The records of commands, between the endpoints and the connectors. */
export interface CommandStore {
  /** Writes a record; `false` when one with that id exists. */
  create(record: CommandRecord): Promise<boolean>
  /** Reads consistently. */
  read(id: string): Promise<CommandRecord | undefined>
  /** Takes a command for one connector: `true` exactly once for each id, and never when it has ended. */
  claim(id: string, connectorId: string): Promise<boolean>
  /**
   * Ends a command that nobody has taken as `expired`: `true` means that nobody ever will. `false` when it was taken or
   * has ended.
   */
  withdraw(id: string): Promise<boolean>
  /** Stores how it ended. The first outcome stays. */
  complete(id: string, outcome: CommandOutcome): Promise<void>
}

/** A message as it was taken off a queue. */
export interface TakenMessage {
  readonly body: string
  /** Messages of one group are to be handled one after another, in the order taken. */
  readonly group: string
  /** Stands for this taking of the message when it is removed. */
  readonly receipt: string
}

/** Takes commands off the queue; the connector's own, and no part of {@link Ports}: the queue comes with its task. */
export interface CommandReceiver {
  /**
   * At most `limit` (1 to 10) messages, in order; waits up to 20 s for the first, or until `signal` is aborted. What
   * is not removed within the queue's visibility time is taken again, by anybody.
   */
  receive(limit: number, signal: AbortSignal): Promise<readonly TakenMessage[]>
  /** Removes a message for good. */
  remove(message: TakenMessage): Promise<void>
}

/** Hands events of the platform to the hooks. */
export interface EventSink {
  /** Queues events in order; the queue keeps one of each id. Answers the ids that were not taken. */
  publish(events: readonly PlatformEvent[]): Promise<readonly string[]>
}

/** The hooks of the tenants. */
export interface HookStore {
  /** Writes new hooks, all or none; `false` when the domain would then have more than `limit`. */
  create(hooks: readonly Hook[], limit: number): Promise<boolean>
  read(domain: string, id: string): Promise<Hook | undefined>
  /** Every hook of the domain, oldest first. Reads consistently. */
  list(domain: string): Promise<Hook[]>
}

/** What the hooks of all tenants want; what the connector relays by. */
export interface SubscriptionReader {
  /** Changes whenever any hook is made, changed or removed; cheap to ask for. */
  version(): Promise<number>
  /** Every pair of domain and event name that an enabled hook names. */
  list(): Promise<{ readonly domain: string; readonly event: string }[]>
}

/** Deliveries and their attempts. */
export interface DeliveryStore {
  /** Writes a delivery; `false` when one with that id exists. */
  create(delivery: Delivery): Promise<boolean>
  read(domain: string, hookId: string, id: string): Promise<Delivery | undefined>
  /** Adds an attempt and sets the state, unless the delivery has ended. Answers whether it did. */
  recordAttempt(delivery: Delivery, attempt: DeliveryAttempt, state: Delivery['state']): Promise<boolean>
  /** Deliveries that are pending since before `before` (epoch milliseconds), to be queued again after a restart. */
  listPending(before: number): Promise<Delivery[]>
}

/** A delivery's next attempt, queued. */
export interface DeliveryQueue {
  /** Queues one attempt for each. `delaySeconds` is at most 900. Answers the ids that were not taken. */
  send(deliveries: readonly QueuedDelivery[]): Promise<readonly string[]>
}

/** What the delivery queue carries: where the delivery is recorded, not what it holds. */
export interface QueuedDelivery {
  readonly id: string
  readonly domain: string
  readonly hookId: string
  readonly attempt: number
  readonly delaySeconds: number
}

/** A request of a hook, ready to be sent. */
export interface HookRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What came back. */
export type HookReply =
  | {
      readonly outcome: 'answered'
      readonly status: number
      /** By lower-case name; several lines of one name joined by ", ", those of `set-cookie` by a line feed. */
      readonly headers: Readonly<Record<string, string>>
      /** At most the first 20 KB. */
      readonly body: string
      readonly durationMs: number
    }
  /** `reason` is one of the words of the contract: `blocked address`, `timeout`, `dns`, `tls`, `network`. */
  | { readonly outcome: 'failed'; readonly reason: string; readonly durationMs: number }

/** The one HTTP client that tenants' URLs are reached through: no redirects, guarded addresses, bounded size and time. */
export interface HookClient {
  send(request: HookRequest): Promise<HookReply>
}

/** What the connectors tell of themselves. */
export interface ConnectorStatusStore {
  report(report: ConnectorReport): Promise<void>
  /** The newest report of each connector that reported since `since`. */
  list(since: number): Promise<ConnectorReport[]>
  /** Counts a start of a connector and answers how many there were before. */
  countStart(): Promise<number>
}

/** One line of the audit trail. */
export interface AuditRecord {
  readonly at: number
  readonly requestId: string
  readonly caller: string
  readonly domain: string
  readonly sourceAddress: string
  readonly method: string
  readonly path: string
  readonly status: number
  /** Names of the fields that the request set; never their values. */
  readonly fields: readonly string[]
}

/** The append-only trail of what was changed by whom. */
export interface AuditLog {
  append(record: AuditRecord): Promise<void>
}

/** Every port by the name that a route's `needs` calls it. */
export interface Ports {
  domains: DomainStore
  accounts: AccountStore
  tokens: TokenStore
  credentials: CredentialReader
  sessions: SessionStore
  loginThrottle: LoginThrottle
  passwords: PasswordHasher
  secrets: SecretReader
  secretBox: SecretBox
  presence: PresenceStore
  engine: CallEngine
  commands: CommandStore
  events: EventSink
  hooks: HookStore
  subscriptions: SubscriptionReader
  deliveries: DeliveryStore
  deliveryQueue: DeliveryQueue
  hookClient: HookClient
  connectorStatus: ConnectorStatusStore
  audit: AuditLog
}

/** The name of a port. */
export type PortName = keyof Ports

/**
 * The port methods that an endpoint or worker uses, by port. From it come the handler's types, the grants of its role
 * and its environment, so that nothing is reachable that is not named here.
 */
export type Needs = { readonly [P in PortName]?: readonly (keyof Ports[P] & string)[] }

/** The ports of {@link Needs}, each cut down to the methods named. */
export type PortsOf<N extends Needs> = {
  readonly [P in keyof N & PortName]: Pick<Ports[P], NonNullable<N[P]>[number] & keyof Ports[P]>
}
