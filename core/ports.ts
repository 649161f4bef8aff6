/**
 * Everything the platform's rules need from outside. A port is a role; each has a memory adapter and at least one
 * real one, held to one contract suite. "Not found" is `undefined`; an outage is a `DomainError` with
 * `store_unavailable`; no other error crosses a port.
 */
import type { CdrAdmin } from './cdr/cdr-admin.ts'
import type { CdrStore } from './cdr/cdr-store.ts'
import type { ExportQueue, ExportStore } from './cdr/export-job.ts'
import type { KnownCall } from './channels/known-call.ts'
import type { CdrQueue } from './cdr/cdr-news.ts'
import type { CommandOutcome, CommandRecord, CommandScope, EndedClaims, EngineCommand, OrderedBy } from './commands.ts'
import type { RequestKey } from './idempotency/request-key.ts'
import type { FileStore } from './recordings/file-store.ts'
import type { RecordingStore } from './recordings/recording-store.ts'
import type { Allowance, RateVerdict } from './limits/allowance.ts'
import type { EmailSettings, Mail, MailOutcome, MailServer } from './email/email-settings.ts'
import type {
  Account,
  BlacklistEntry,
  CallflowStep,
  ConnectorReport,
  CustomRole,
  DefaultRoute,
  DeletedDomain,
  Delivery,
  DeliveryAttempt,
  DeliveryEvent,
  DeliveryState,
  Domain,
  DomainRoles,
  DomainToken,
  Gap,
  Hook,
  LoggedEvent,
  PlatformEvent,
  Presence,
  RecordedGap,
  RouteHead,
  Token,
} from './model.ts'

/** The time. Everything that asks for it is given one, so that tests can move it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
}

/** Runs something after a time in milliseconds, and answers how to call that off. */
export type Scheduler = (afterMs: number, run: () => void) => () => void

/** Randomness, for identifiers and secrets. */
export interface Randomness {
  /** A UUID v4 in lower case. */
  uuid(): string
  /** Bytes that nobody can guess. */
  bytes(length: number): Uint8Array
}

/** The tenants. One whose deletion has begun is not there any more, but for the methods that say so. */
export interface DomainStore {
  /**
   * Writes a new domain; `false` when one of that name exists or is still being deleted. A repetition of the same
   * creation (of one `creationId`) answers `true` and changes nothing.
   */
  create(domain: Domain): Promise<boolean>
  read(name: string): Promise<Domain | undefined>
  /** Every domain, ordered by name. */
  list(): Promise<Domain[]>
  /**
   * Replaces the variables and parameters of a domain whose version is still `domain.version - 1`; `false` when
   * somebody else wrote first, or it is gone.
   */
  replaceSettings(domain: Domain): Promise<boolean>
  /** Whether the name is in use: by a domain, or by one that is still being deleted. */
  exists(name: string): Promise<boolean>
  /** Begins the deletion of a domain at `at` (epoch milliseconds): `true` exactly once for each domain. */
  beginDeletion(name: string, at: number): Promise<boolean>
  /** A domain whose deletion has begun and has not ended. */
  readDeleted(name: string): Promise<DeletedDomain | undefined>
  /** Every such domain, ordered by name. */
  listDeleted(): Promise<DeletedDomain[]>
  /** Frees the name of a domain whose deletion has begun; of any other domain, changes nothing. */
  endDeletion(name: string): Promise<void>
}

/** What the stores hold of a domain besides its own record. */
export interface DomainRemains {
  /**
   * Removes it, piece by piece, until nothing is left (`true`) or `until` (epoch milliseconds) has passed. To be called
   * only for a domain that nobody can write for any more; a call that was cut short is made good by the next one.
   */
  sweep(domain: string, until: number): Promise<boolean>
}

/** Deleted domains, queued for the removal of what they leave. */
export interface CleanupQueue {
  /** Queues a domain. `delaySeconds` is at most 900. */
  send(cleanup: QueuedCleanup): Promise<void>
}

/** What the clean-up queue carries. */
export interface QueuedCleanup {
  readonly domain: string
  /** When the deletion was asked for, epoch milliseconds. */
  readonly requestedAt: number
  /** When the clean-up had its calls ended and its phones dropped, epoch milliseconds; absent before. */
  readonly silencedAt?: number | undefined
  readonly delaySeconds: number
}

/** The roles that tenants made. */
export interface RoleStore {
  /** Reads consistently. */
  read(domain: string): Promise<DomainRoles>
  /** Replaces the roles of a domain whose version is still `roles.version - 1`; `false` when somebody else wrote first. */
  write(roles: DomainRoles): Promise<boolean>
}

/** How a write that reserves names ended. */
export type AccountCreation = 'created' | 'login_taken' | 'number_taken' | 'domain_missing' | 'domain_full'

/** The accounts of the tenants. Every method works inside the one domain that it is given. */
export interface AccountStore {
  /**
   * Writes an account, reserves its login and its numbers and counts it in its domain: all of it or nothing.
   * `limit` is the most accounts that the domain may have. A repetition of the same creation (of one `credentialsId`)
   * answers `created` and changes nothing.
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
  /**
   * Removes an account, its reservations and its count; `false` when it is not there. One that was changed meanwhile is
   * removed, too, unless `exactly` this version is meant: then that is `false`.
   */
  remove(account: Account, exactly?: boolean): Promise<boolean>
  /**
   * Notes that the code of a step was used: `true` exactly once for each step, and never for one at or before the
   * latest. `false` too when the account's credentials or second factor are not those of `account` any more.
   */
  useCode(account: Account, step: number): Promise<boolean>
}

/** The records of logins. */
export interface TokenStore {
  /** Keeps a token. When the user then has more than `limit` live ones, the oldest go. */
  create(token: Token, limit: number): Promise<void>
  /** Ends a token; `false` when it was not there. */
  remove(domain: string, login: string, key: string): Promise<boolean>
}

/** The credentials of domains themselves. Every method works inside the one domain that it is given. */
export interface DomainTokenStore {
  /**
   * Keeps a new token; `false` when the domain has `limit` of them, those past their end included. One that is there
   * already, made by an earlier run of the same request, counts as kept.
   */
  create(token: DomainToken, limit: number): Promise<boolean>
  read(domain: string, uuid: string): Promise<DomainToken | undefined>
  /** Every token of the domain, ordered by uuid. */
  list(domain: string): Promise<DomainToken[]>
  /** Enables or disables a token; answers what it is then, or nothing when it is not there. */
  setEnabled(domain: string, uuid: string, enabled: boolean): Promise<DomainToken | undefined>
  /** Ends a token; `false` when it is not there. */
  remove(domain: string, uuid: string): Promise<boolean>
}

/** What a user's credential is judged by. */
export interface Credentials {
  readonly token: Token | undefined
  /** Absent for root. */
  readonly account: Account | undefined
  /** Absent for root, and when its deletion has begun. */
  readonly domain: Domain | undefined
  /** The roles that the domain made. */
  readonly roles: readonly CustomRole[]
}

/** What the credential of a domain itself is judged by. */
export interface DomainTokenCredentials {
  readonly token: DomainToken | undefined
  /** Absent too when its deletion has begun. */
  readonly domain: Domain | undefined
  /** The roles that the domain made. */
  readonly roles: readonly CustomRole[]
}

/** Reads all that decides whether a request is authentic and what it may do, in one consistent read. */
export interface CredentialReader {
  read(who: { readonly domain: string; readonly login: string; readonly key: string }): Promise<Credentials>
  readDomainToken(which: { readonly domain: string; readonly uuid: string }): Promise<DomainTokenCredentials>
}

/** Which users were active when; feeds the session counts of the status report. */
export interface SessionStore {
  /** Notes that a user was active at `at` (epoch milliseconds). Written at most once a minute a user and process. */
  touch(username: string, domain: string, at: number): Promise<void>
  /**
   * Notes from which network a credential is used: `true` when that was not noted in the last 90 days. Written at most
   * once for each pair and process.
   */
  meet(username: string, network: string, at: number): Promise<boolean>
  /** The users seen at or after `since`, and the highest such count that was ever read, this one included. */
  count(since: number): Promise<{ users: number; domains: number; highest: number }>
}

/** One failed login, or one that is still under way and counts as failed until it is known better. */
export interface LoginFailure {
  /** Epoch milliseconds. */
  readonly at: number
  readonly isUnderWay: boolean
}

/** An attempt that was let begin; means nothing to anybody but the throttle. */
export interface BegunAttempt {
  readonly key: string
  readonly slot: string
  readonly id: string
}

/** Counts failed logins inside a moving window. Keys are opaque text. */
export interface LoginThrottle {
  /** The failures of each key since `since`, in the order of `keys`, and when the oldest of them was. */
  read(keys: readonly string[], since: number): Promise<{ failures: number; oldestAt: number }[]>
  /** Adds one failure to each key. */
  fail(keys: readonly string[], at: number): Promise<void>
  /**
   * Begins an attempt, which counts as a failure under way, unless the key has `room.limit` failures since `room.since`
   * already: then answers them, oldest first. The limit holds exactly, however many begin at one moment, for a key that
   * `fail` is not used with.
   */
  begin(
    key: string,
    room: { readonly limit: number; readonly since: number },
    at: number,
  ): Promise<{ readonly attempt: BegunAttempt } | { readonly failures: readonly LoginFailure[] }>
  /** An attempt has failed: it is under way no more, and counts. */
  settle(attempt: BegunAttempt): Promise<void>
  /** An attempt came to no end: it counts no more. */
  release(attempt: BegunAttempt): Promise<void>
  /** Forgets the failures of a key, those under way included. */
  clear(key: string): Promise<void>
  /** Waits about `ms`, so that attempts under way can end; in memory as long as it takes others to go on. */
  pause(ms: number): Promise<void>
}

/** Salted, slow password hashes. */
export interface PasswordHasher {
  /** An argon2id hash in PHC text form. */
  hash(password: string): Promise<string>
  /** Whether a password has this hash. With no hash it takes the same time and answers `false`. */
  verify(password: string, hash: string | undefined): Promise<boolean>
}

/** The root user's password, and which version of it this is. */
export interface RootPassword {
  readonly text: string
  /** Changes whenever the password does; tells nothing of it. */
  readonly version: string
}

/** Secrets of the deployment itself. While they cannot be read again, the last ones known stay good. */
export interface SecretReader {
  /** The root user's password as it is now. */
  rootPassword(): Promise<RootPassword>
  /** The version of the root user's password as it is now; reads nothing of the password itself, and remembers nothing. */
  rootVersion(): Promise<string>
  /** What the engine presents at `/engine/*`, read at most once in five minutes so that a rotated one is taken up. */
  engineCredential(): Promise<string>
  /** What cursors of searches are signed with, read at most once in five minutes. */
  cursorKey(): Promise<string>
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
   * has ended as `expired`; `undefined`: it was taken, and no outcome came in time. With an `id` (a UUID) it is one
   * command however often it is run: a repetition is answered with the outcome of the first, and is sent only when it is
   * certain that the first was not.
   */
  run(command: EngineCommand, by: OrderedBy, waitMs: number, id?: string): Promise<CommandOutcome | undefined>
  /** Records and queues the command and does not wait. */
  send(command: EngineCommand, by: OrderedBy): Promise<void>
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
  /**
   * Stores how it ended. The first outcome stays. With the scope of the command, a long outcome may be kept once for
   * several commands of that scope, and no longer than they are waited for.
   */
  complete(id: string, outcome: CommandOutcome, scope?: CommandScope): Promise<void>
  /**
   * Ends what a connector took before `claimedBefore` (epoch milliseconds) and has told no outcome of, oldest first, as
   * `unknown` with `connector_lost`: `claimsAtATime` commands at most. Outcomes that are there stay, and one that
   * comes later changes nothing. What was taken a moment ago may be passed over.
   */
  endClaimsOf(connectorId: string, claimedBefore: number): Promise<EndedClaims>
  /** Notes that the engine made the channel `actual` where `chosen` was asked for. The last note of a uuid counts. */
  keepAlias(chosen: string, actual: string): Promise<void>
  /** The channel that the engine made where `chosen` was asked for, for a week. Reads consistently. */
  readAlias(chosen: string): Promise<string | undefined>
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
  /**
   * Writes new hooks, all or none; `false` when the domain would then have more than `limit`. A repetition of the same
   * creation (of the same ids) answers `true` and changes nothing.
   */
  create(hooks: readonly Hook[], limit: number): Promise<boolean>
  read(domain: string, id: string): Promise<Hook | undefined>
  /** Every hook of the domain, oldest first. Reads consistently. */
  list(domain: string): Promise<Hook[]>
  /** How many hooks the domain has. Reads consistently. */
  count(domain: string): Promise<number>
  /** Replaces a hook whose version is still `hook.version - 1`; `false` when somebody else wrote first, or it is gone. */
  replace(hook: Hook): Promise<boolean>
  /** Removes a hook that is still of this version; otherwise `false`. */
  remove(hook: Hook): Promise<boolean>
  /**
   * Counts a delivery that failed for good at `at` (epoch milliseconds), once when it comes again at once. Answers the
   * hook as it is then, where it is there.
   */
  countFailure(
    domain: string,
    id: string,
    failed: { readonly delivery: string; readonly at: number },
  ): Promise<Hook | undefined>
  /** Forgets the failures of a hook. */
  clearFailures(domain: string, id: string): Promise<void>
  /**
   * Notes when the receiver of a hook was last found to be slow (epoch milliseconds), or that it is fast again, unless
   * it was found to be slow since the `hook` was read.
   */
  noteSpeed(hook: Pick<Hook, 'domain' | 'id' | 'slowAt'>, slowAt: number | undefined): Promise<void>
  /** Takes the notice that is due for a hook of this version: `true` exactly once, for whoever is to give it. */
  endNotice(hook: Hook): Promise<boolean>
  /** The notice of a hook of this version is due again, after so many tries; `false` when it is another version. */
  renewNotice(hook: Hook, tries: number): Promise<boolean>
}

/** How an addition to a blacklist ended. */
export type BlacklistAddition = 'added' | 'exists' | 'list_full' | 'lists_full'

/** Which entries of a blacklist a page shows, by number. */
export interface BlacklistPage {
  /** Only entries behind this number, in the direction of the page. */
  readonly after?: string | undefined
  /** Entries passed over first. */
  readonly skip: number
  readonly limit: number
  /** 1: ascending numbers; -1: descending. */
  readonly direction: 1 | -1
}

/**
 * The blacklists of the tenants. A list is there while it holds an entry. An entry whose time is over counts for
 * nothing: it is not read, not counted and does not keep its list.
 */
export interface BlacklistStore {
  /**
   * Adds an entry unless its number is in the list already, and makes the list with its first one. A repetition of the
   * same addition (of the same id) answers `added` and changes nothing. The limits are the most entries of a list and
   * the most lists of a domain; they hold exactly, whoever else writes.
   */
  add(entry: BlacklistEntry, limits: { readonly entries: number; readonly lists: number }): Promise<BlacklistAddition>
  read(domain: string, list: string, number: string): Promise<BlacklistEntry | undefined>
  /** The names of the domain's lists, in the order of their code units. */
  names(domain: string): Promise<string[]>
  /** Entries of a list by number, and whether there are more behind them. */
  page(
    domain: string,
    list: string,
    page: BlacklistPage,
  ): Promise<{ readonly entries: readonly BlacklistEntry[]; readonly more: boolean }>
  /** Every entry of a list by number. */
  entries(domain: string, list: string): Promise<BlacklistEntry[]>
  /** Removes one entry; `false` when it is not there. */
  remove(domain: string, list: string, number: string): Promise<boolean>
  /** Removes a list at once, however long it is, and answers how many entries it had. */
  removeList(domain: string, list: string): Promise<number>
  /**
   * Frees the room that removed lists of the domain still take, until it is done or the time is over (`until`, epoch
   * milliseconds). Answers whether all of it is free.
   */
  sweep(domain: string, until: number): Promise<boolean>
}

/** The default routes of a domain as they were at one moment. */
interface RouteSet {
  /** By order, then id. */
  readonly routes: readonly RouteHead[]
  /** Changes with every write to a route of the domain. */
  readonly edition: number
}

/** The default routes of the tenants. */
export interface DefaultRouteStore {
  list(domain: string): Promise<RouteSet>
  /** The callflows of routes, by id. A route that is gone has none. */
  callflows(domain: string, ids: readonly string[]): Promise<ReadonlyMap<string, readonly CallflowStep[]>>
  read(domain: string, id: string): Promise<DefaultRoute | undefined>
  /** Writes a new route where the set is still of this edition; else `false`. */
  create(route: DefaultRoute, edition: number): Promise<boolean>
  /** Replaces a route whose revision is still `route.revision - 1`; else `false`. */
  replace(route: DefaultRoute): Promise<boolean>
  /** Gives two routes each other's order where the set is still of this edition; else changes nothing: `false`. */
  swap(first: RouteHead, second: RouteHead, edition: number): Promise<boolean>
  /** Removes a route that is still of this revision; else `false`. */
  remove(route: RouteHead): Promise<boolean>
}

/** What the hooks of all tenants name; what the connector relays by. */
export interface SubscriptionReader {
  /** Changes whenever any hook is made, changed or removed; cheap to ask for. */
  version(): Promise<number>
  /** Every pair of domain and event name that a hook names, whether or not it is enabled; each once. */
  list(): Promise<{ readonly domain: string; readonly event: string }[]>
}

/** What came of an attempt, for its delivery. */
export interface AttemptOutcome {
  /** The run that made it; absent when nothing was sent. */
  readonly run?: string | undefined
  readonly attempt: DeliveryAttempt
  readonly state: DeliveryState
  /** When the next one is due, epoch milliseconds: with `pending` and no other state. */
  readonly nextAttemptAt?: number | undefined
}

/** Where a list of deliveries goes on: behind this one. */
export type DeliveryPlace = Pick<Delivery, 'id' | 'nextAttemptAt'>

/** Overdue deliveries; an empty page is behind the last. */
export interface DuePage {
  readonly deliveries: readonly Delivery[]
  /** Where in the store there are others that cannot be read: they are passed over. */
  readonly unreadable: readonly string[]
}

/** Which deliveries of a hook are wanted. */
export interface DeliveryRange {
  readonly newestFirst: boolean
  /** 1 to 1000. */
  readonly limit: number
  /** Continues behind this id, whether or not it is there. */
  readonly after?: string | undefined
}

/** Deliveries, their attempts, and what they carry. A delivery is kept for 30 days, its event for 7. */
export interface DeliveryStore {
  /** Writes a delivery; `false` when one with that id exists. Its event has to be there before. */
  create(delivery: Delivery): Promise<boolean>
  read(domain: string, hookId: string, id: string): Promise<Delivery | undefined>
  /** Keeps what the deliveries of an event carry, whole. The first of one id stays. */
  keepEvent(event: DeliveryEvent): Promise<void>
  /** What a delivery carries, by its `eventId`. */
  readEvent(domain: string, eventId: string): Promise<DeliveryEvent | undefined>
  /**
   * Notes that a run begins to send (`at`, epoch milliseconds), so that it is known of even when it comes to no end.
   * `false`: the delivery is not as given any more (ended, tried or planned anew), or `deliveryLimits.runs` of them are
   * noted already.
   */
  beginAttempt(delivery: Delivery, run: string, at: number): Promise<boolean>
  /**
   * Records an attempt. `decided`: it is the one that moved the delivery on, which has the outcome's state now. `added`:
   * another one was first, or the delivery has ended; what was sent is on the list all the same, and a success makes
   * the delivery `delivered`. `gone`: there is no such delivery. Repeats of one run are recorded once.
   */
  recordAttempt(delivery: Delivery, outcome: AttemptOutcome): Promise<'decided' | 'added' | 'gone'>
  /** Plans the next attempt for another moment, where the delivery still waits as given; otherwise `false`. */
  reschedule(delivery: Delivery, at: number): Promise<boolean>
  /**
   * Opens a delivery that has ended: it is pending again, due at `at` (epoch milliseconds), with all its retries before
   * it and all its attempts on the list, those that were interrupted included. Nothing when it is pending, is not there,
   * is not as given any more, or has `deliveryLimits.reopened` attempts already.
   */
  reopen(delivery: Delivery, at: number): Promise<Delivery | undefined>
  /** Pending deliveries of all domains whose next attempt was due before a moment (epoch milliseconds), oldest first. */
  listDue(before: number, limit: number, after?: DeliveryPlace): Promise<DuePage>
  /** Deliveries of a domain that failed for good and were not opened again, the newest event first. */
  listFailed(domain: string, limit: number, after?: DeliveryPlace): Promise<Delivery[]>
  /** Deliveries of a hook in the order of their ids. Fewer than the limit: there are no more. Reads consistently. */
  list(domain: string, hookId: string, range: DeliveryRange): Promise<Delivery[]>
}

/** A delivery's next attempt, queued. */
export interface DeliveryQueue {
  /** Queues one attempt for each. `delaySeconds` is at most 900. Answers the ids that were not taken. */
  send(deliveries: readonly QueuedDelivery[]): Promise<readonly string[]>
  /** How many attempts wait to be taken, usual and slow ones, about; not those that are held back or under way. */
  waiting(): Promise<{ readonly usual: number; readonly slow: number }>
}

/** What the delivery queue carries: where the delivery is recorded, not what it holds. */
export interface QueuedDelivery {
  readonly id: string
  readonly domain: string
  readonly hookId: string
  /** 1 for the first. */
  readonly attempt: number
  /** The moment that this attempt was planned for, epoch milliseconds: another plan makes the message void. */
  readonly dueAt: number
  readonly delaySeconds: number
  /** Whether it waits among those whose receivers are slow, so that it holds up no other. */
  readonly isSlow?: boolean | undefined
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

/** The times in which events of an engine may have been missed, or were dropped; kept for a week at least. */
export interface GapStore {
  /** Writes a gap, once. `true` when the record that stands is this recorder's own. */
  record(gap: Gap): Promise<boolean>
  /**
   * The gaps that began at or after `since` (epoch milliseconds), in the order of beginnings; of more than `limit` the
   * newest.
   */
  list(since: number, limit?: number): Promise<RecordedGap[]>
}

/** The latest events of each domain, numbered from 1 without a hole; the newest 5 000 of the last 24 hours are kept. */
export interface EventLog {
  /**
   * Gives an event the next number of its domain and answers it; an event of the same id gets the number that it was
   * given first, for five days. Whoever reads a number reads all below it. Of one above 200 KB the long values are cut. `watchedSince` is when the oldest hook of
   * the domain was made, epoch milliseconds: where that is later than the event before, the log says so. Throws
   * `store_unavailable` when others numbered events of the domain all the time, for several seconds.
   */
  append(event: PlatformEvent, watchedSince?: number): Promise<number>
  /**
   * Kept events with numbers above `since`, in rising order: at most `limit` and about 1 MB, but one at least while
   * there is any. Reads consistently.
   */
  read(domain: string, since: number, limit: number): Promise<LoggedEvent[]>
  /** The `count` newest kept events, in rising order. */
  latest(domain: string, count: number): Promise<LoggedEvent[]>
  /** The highest number that the domain has given; 0 before the first. */
  head(domain: string): Promise<number>
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
  /** What was remarkable besides. */
  readonly note?: string | undefined
}

/** A line of the trail and its place there. */
export interface AuditEntry extends AuditRecord {
  /** Opaque; where a further page begins. */
  readonly position: string
}

/** Which part of a domain's trail is wanted. */
export interface AuditRange {
  /** Epoch milliseconds; nothing earlier is shown. */
  readonly since: number
  /** Continues behind this entry. */
  readonly after?: string | undefined
  readonly newestFirst: boolean
  /** 1 to 1000. */
  readonly limit: number
}

/** The append-only trail of what was changed by whom. */
export interface AuditLog {
  append(record: AuditRecord): Promise<void>
  /** Lines of a domain in the order of their time. Fewer than the limit: there are no more. */
  list(domain: string, range: AuditRange): Promise<AuditEntry[]>
}

/** What is kept of requests that came with an `Idempotency-Key`, for a day; what is older is not there. */
export interface IdempotencyStore {
  /** Writes a key where none of its domain is; otherwise answers the one that is there. */
  create(key: RequestKey): Promise<RequestKey | undefined>
  /** Replaces claim and lease of a key without an answer whose claim still is `previous`; `false` otherwise. */
  takeOver(key: RequestKey, previous: string): Promise<boolean>
  /** Stores the answer, if the key is still claimed by this run; `false` otherwise. */
  complete(key: RequestKey, answer: string): Promise<boolean>
  /** Ends the lease of this run at once, so that the request can be run again. */
  release(key: RequestKey): Promise<void>
}

/** Counts requests against allowances, for all processes together. */
export interface RateLimitStore {
  /** Takes one request from the allowance of a key, if there is one left. A refused request takes nothing. */
  take(key: string, allowance: Allowance, now: number): Promise<RateVerdict>
  /** Takes one of `limit` uses in any span of `windowMs`; a refused use takes nothing. */
  takeInWindow(
    key: string,
    window: { readonly limit: number; readonly windowMs: number },
    now: number,
  ): Promise<RateVerdict>
  /**
   * Takes one of `limit` places (8 at most) that are held until they are left, or until their lease is over; answers
   * which, or nothing when all are taken.
   */
  enter(
    key: string,
    places: { readonly limit: number; readonly leaseMs: number },
    now: number,
  ): Promise<string | undefined>
  /** Leaves a place that {@link enter} answered; one that is lost already stays as it is. */
  leave(key: string, place: string): Promise<void>
}

/** The calls that the API placed and that may still be up, by domain. */
export interface LiveCallStore {
  /**
   * Notes a call and the moment (epoch milliseconds) by which the engine lists it if it is up; `false`, and nothing
   * noted, when the domain then had more than `limit`. One that is noted already gets the new moment.
   */
  put(domain: string, uuid: string, showsBy: number, limit: number): Promise<boolean>
  /** The moment of each noted call of the domain, by uuid. */
  list(domain: string): Promise<ReadonlyMap<string, number>>
  /** Forgets calls. */
  remove(domain: string, uuids: readonly string[]): Promise<void>
}

/** The legs that connectors know to be up: what ends while nobody listens is ended by whoever listens next. */
export interface KnownCallStore {
  /** Notes a leg; one that is noted already is replaced where its engine, its process or its account is another one. */
  put(call: KnownCall): Promise<void>
  read(domain: string, uuid: string): Promise<KnownCall | undefined>
  /** Every noted leg of an engine, in no order; what was noted or removed within the last second may be missing or there. */
  list(engine: string): Promise<KnownCall[]>
  /** Forgets a leg. */
  remove(domain: string, uuid: string): Promise<void>
}

/** The mail settings of the tenants, one record a domain. */
export interface EmailSettingsStore {
  read(domain: string): Promise<EmailSettings | undefined>
  /** Writes a record whose stored version still is `settings.version - 1`, 0 standing for none; `false` otherwise. */
  put(settings: EmailSettings): Promise<boolean>
  /** Removes the record, where a `version` is given only that one. */
  remove(domain: string, version?: number): Promise<'removed' | 'absent' | 'version_changed'>
}

/** Sends mail through a server that a tenant names: guarded addresses, bounded size and time. */
export interface MailSender {
  send(mail: Mail, server: MailServer): Promise<MailOutcome>
}

/** Every port by the name that a route's `needs` calls it. */
export interface Ports {
  domains: DomainStore
  remains: DomainRemains
  cleanups: CleanupQueue
  roles: RoleStore
  accounts: AccountStore
  tokens: TokenStore
  domainTokens: DomainTokenStore
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
  blacklists: BlacklistStore
  defaultRoutes: DefaultRouteStore
  subscriptions: SubscriptionReader
  deliveries: DeliveryStore
  deliveryQueue: DeliveryQueue
  hookClient: HookClient
  connectorStatus: ConnectorStatusStore
  gaps: GapStore
  eventLog: EventLog
  audit: AuditLog
  idempotency: IdempotencyStore
  rateLimits: RateLimitStore
  liveCalls: LiveCallStore
  knownCalls: KnownCallStore
  recordings: RecordingStore
  /** The objects of recordings. */
  recordingFiles: FileStore
  /** What searches were exported to. */
  exportFiles: FileStore
  emailSettings: EmailSettingsStore
  mail: MailSender
  cdrs: CdrStore
  cdrAdmin: CdrAdmin
  cdrQueue: CdrQueue
  exports: ExportStore
  exportQueue: ExportQueue
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
