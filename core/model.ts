import type { Acl } from './access/acl.ts'
import type { JsonObject } from './hooks/event-fields.ts'

/** A tenant. */
export interface Domain {
  /** Lower case host name or IPv4 literal; also the tenant's id. */
  readonly name: string
  readonly customerId: string
  readonly variables: Readonly<Record<string, string>>
  readonly parameters: Readonly<Record<string, string>>
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Made with the domain: tells it from one of the same name made before or after, and its creation from another. */
  readonly creationId: string
  /** How many accounts the domain has; kept exact by the writes that create and delete them. */
  readonly accountCount: number
  /** Rises by one with every write of variables and parameters; the guard against lost updates. */
  readonly version: number
}

/** A tenant whose deletion has begun: nothing may use it any more, and its name is not free yet. */
export interface DeletedDomain {
  readonly name: string
  /** When its deletion began, epoch milliseconds. */
  readonly since: number
  /** As they were then. */
  readonly parameters: Readonly<Record<string, string>>
}

/** A role that a tenant made. */
export interface CustomRole {
  readonly name: string
  /** The role whose permissions this one has besides its own: a default one or another of the domain. */
  readonly parent: string | null
  /** Its own permissions, without those of its parent. */
  readonly allows: Acl
  /** Made with the role: tells its creation from another's. */
  readonly creationId: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Rises by one with every write. */
  readonly version: number
}

/** All roles that a tenant made, as one record: whatever is written of them is checked against all of them. */
export interface DomainRoles {
  readonly domain: string
  readonly roles: readonly CustomRole[]
  /** Rises by one with every write; 0 where nothing was written yet. */
  readonly version: number
}

/** A user of a domain: its phone and its API identity. */
export interface Account {
  readonly domain: string
  /** As given at creation; unique in the domain without regard to case. */
  readonly login: string
  /** `admin`, `user`, or the name of a custom role. */
  readonly role: string
  /** Argon2id in PHC text form. */
  readonly passwordHash: string
  /** Lower-case hex of `md5(login:domain:password)`: what the engine checks a registration with. */
  readonly a1Hash: string
  /** The numbers that ring this account, at least one. */
  readonly numbers: readonly string[]
  readonly parameters: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Changes whenever password or role change, so that tokens issued before are refused. */
  readonly credentialsId: string
  /** What proves besides the password that the user is there; absent where it was never begun. */
  readonly secondFactor?: SecondFactor | undefined
  /** Rises by one with every write; the guard against lost updates. */
  readonly version: number
}

/** Time-based one-time codes of an account (RFC 6238: six digits, steps of 30 s). */
export interface SecondFactor {
  /** The shared secret, sealed by the `secretBox` port. */
  readonly sealed: string
  /** Whether a login needs a code: the user has shown once that he can make them. */
  readonly isOn: boolean
  /** Number of the latest step whose code was used; no code of it or of an earlier step is taken again. */
  readonly usedStep: number
}

/** A login's result as the service keeps it. The secret itself is not kept, only its SHA-256. */
export interface Token {
  /** UUID v4; what the caller sends in `X-Key`. */
  readonly key: string
  /** `<login>@<domain>`, or the root name. */
  readonly username: string
  /** Empty for root. */
  readonly domain: string
  readonly login: string
  /** Lower-case hex SHA-256 of the whole token text. */
  readonly digest: string
  /** The account's `credentialsId` at login; for root the version of his password. */
  readonly credentialsId: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly expiresAt: number
  readonly enabled: boolean
}

/** A credential of a domain itself, for programs. The secret is not kept, only its SHA-256. */
export interface DomainToken {
  readonly uuid: string
  readonly domain: string
  /** Lower-case hex SHA-256 of the whole token text. */
  readonly digest: string
  readonly role: string
  readonly description: string
  /** Username of whoever issued it. */
  readonly createdBy: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly expiresAt: number
  readonly enabled: boolean
}

/** Who makes a request: the identity that a credential proved. */
export interface Caller {
  /** `user`: a person, or root. `domain-token`: a program, which owns no account and no call. */
  readonly kind: 'user' | 'domain-token'
  /** `<login>@<domain>`, the root name, or `<uuid>@<domain>` of a domain's token. */
  readonly username: string
  /** Of a domain's token the whole username, which no account can have as its login. */
  readonly login: string
  /** The domain that the caller is bound to; root is bound to none. */
  readonly domain: string | null
  /** When that domain was made, epoch milliseconds. */
  readonly domainCreatedAt: number | null
  readonly role: string
  readonly acl: Acl
  /** The token's key, or the uuid of a domain's token. */
  readonly tokenKey: string
  /** When the token ends, epoch milliseconds. */
  readonly expiresAt: number
}

/** What the engine last told of an account's phones and calls. */
export interface Presence {
  readonly domain: string
  readonly login: string
  /** One entry a registered contact: its id and when its registration ends (epoch milliseconds). */
  readonly contacts: readonly { readonly id: string; readonly expiresAt: number }[]
  /** The uuids of the live calls of the account. */
  readonly calls: readonly string[]
  /** When this was observed, epoch milliseconds. An older observation never replaces a newer one. */
  readonly observedAt: number
}

/** A rule that sends an HTTP request when an event occurs, as it is stored. */
export interface Hook {
  /** 24 lower-case hex digits. */
  readonly id: string
  readonly domain: string
  /** `CHANNEL_CREATE`, or `CUSTOM->` and a subclass. */
  readonly event: string
  readonly enable: boolean
  readonly description: string
  readonly action: { readonly type: 'web'; readonly method: string; readonly url: string }
  /** Names of the event fields to keep; empty keeps all. */
  readonly fields: readonly string[]
  /** Event field name to new name. */
  readonly map: Readonly<Record<string, string>>
  readonly filter: Readonly<Record<string, HookFilter>>
  readonly headers: Readonly<Record<string, string>>
  readonly auth: HookAuth
  readonly customBody: boolean
  readonly rawBody: string
  /** How many attempts follow a failed first one, 0 to 10. */
  readonly retries: number
  /** Seconds; absent: the standard waits. */
  readonly delay?: number | undefined
  /** Signing secrets, newest first, each encrypted at rest. A rotated-out one signs until its `until`. */
  readonly secrets: readonly HookSecret[]
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Why the platform switched the hook off. */
  readonly disabledReason?: string | undefined
  /** Whether its owner is still to be told that the platform switched it off. */
  readonly noticeDue?: boolean | undefined
  /** How often a mail about that could not be sent; absent for never. */
  readonly noticeTries?: number | undefined
  /** Deliveries that failed for good since the last success or change; absent for none. */
  readonly failures?: number | undefined
  /** When the first of {@link failures} was, epoch milliseconds. */
  readonly failingSince?: number | undefined
  /** The delivery that was counted last. */
  readonly lastFailure?: string | undefined
  /**
   * When its receiver was last found to take long, epoch milliseconds; absent while it is fast. Deliveries to a slow one
   * wait in a queue of their own.
   */
  readonly slowAt?: number | undefined
  /** Rises by one with every write, but for those that note how its deliveries went. */
  readonly version: number
}

/** A comparison that an event must pass; the operators are those of the addendum. */
export interface HookFilter {
  readonly operation: '==' | '!=' | '<' | '>' | '<=' | '>=' | 'reg'
  readonly value: string | number | boolean | null
}

/** The request that is made before the delivery to get credentials for it. */
export interface HookAuth {
  readonly enabled: boolean
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly map: Readonly<Record<string, string>>
  readonly cookie: boolean
}

/** One signing secret of a hook. */
export interface HookSecret {
  /** Tells the rotation that made it from any other; absent for the one that the hook was made with. */
  readonly id?: string | undefined
  /** 32 bytes, sealed by the {@link SecretBox} port; base64. */
  readonly sealed: string
  /** Epoch milliseconds after which it signs no more; absent for the current one. */
  readonly until?: number | undefined
}

/** A number of a blacklist. */
export interface BlacklistEntry {
  /** 24 lower-case hex digits. */
  readonly id: string
  readonly domain: string
  /** The name of the list. */
  readonly list: string
  /** Without spaces, hyphens, dots and parentheses. */
  readonly number: string
  /** Epoch milliseconds from which the entry is not there any more. */
  readonly expires?: number | undefined
  readonly note?: string | undefined
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** One step of a callflow: JSON that core/routes has parsed. */
export type CallflowStep = Readonly<Record<string, unknown>>

/** What happens to calls whose dialled number matches a pattern; all of it but the callflow. */
export interface RouteHead {
  /** 24 lower-case hex digits. */
  readonly id: string
  readonly domain: string
  /** A regular expression of the linear-time matcher. */
  readonly destinationNumber: string
  readonly name: string
  /** Routes are tried in ascending order, those of one order by id. */
  readonly order: number
  readonly disabled: boolean
  /** Name of the time zone that the expressions of the callflow are judged in; the engine's own where `null`. */
  readonly fsTimezone: string | null
  readonly description: string
  /** The version of the callflow's schema. */
  readonly version: number
  /** Size of the callflow as JSON in UTF-8. */
  readonly callflowBytes: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Rises by one with every write. */
  readonly revision: number
}

/** A default route as it is stored. */
export interface DefaultRoute extends RouteHead {
  readonly callflow: readonly CallflowStep[]
}

/** An event of the platform, on its way to the hooks. */
export interface PlatformEvent {
  /**
   * `Core-UUID:Event-Sequence` for an engine event, `Core-UUID:uuid:Event-Name` for what a call has once in its life
   * (creation, answer, end); derived from its cause for any other.
   */
  readonly id: string
  /** `Event-Name`, or `Event-Name->Event-Subclass`. */
  readonly name: string
  readonly domain: string
  /** The call's uuid; empty for an event without a call. */
  readonly uuid: string
  /** Epoch milliseconds. */
  readonly occurredAt: number
  /** The event's headers as a flat object of strings; `Event-Domain` is always there. */
  readonly fields: Readonly<Record<string, string>>
  /** Whom the connector sends it to: those who match it against hooks where absent, or the index of CDRs. */
  readonly reader?: 'cdr' | undefined
}

/** An event with its number in its domain's log. */
export interface LoggedEvent {
  /** 1 for the domain's first; rises by one with each. */
  readonly sequence: number
  /** When it was numbered, epoch milliseconds. */
  readonly loggedAt: number
  /**
   * The time before it, epoch milliseconds, in which the domain may have had no hook: from the event before (0 where
   * there is none) until the oldest hook of this moment was made. Absent where one of its hooks is older than that event.
   */
  readonly unwatched?: { readonly from: number; readonly to: number } | undefined
  readonly event: PlatformEvent
}

/** What a delivery carries: the event as it was. That of a test may have fields that are not text. */
export interface DeliveryEvent extends Omit<PlatformEvent, 'fields'> {
  readonly fields: JsonObject
}

/** Where a delivery stands. `pending` waits for its next attempt; the others are ends. */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'skipped'

/** One event on its way to one hook, with every attempt made. */
export interface Delivery {
  /**
   * `msg_` and 32 hex digits, derived from event, hook and sequence: a repeat is the same delivery. The ids of a hook
   * are in the order of its events.
   */
  readonly id: string
  readonly hookId: string
  readonly domain: string
  /** Names the {@link DeliveryEvent}, which is stored beside it and not as long. */
  readonly eventId: string
  readonly eventName: string
  readonly uuid: string
  /** The number of the event in its domain. */
  readonly sequence: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly state: DeliveryState
  /** Every attempt whose end is known, in the order in which they were recorded. */
  readonly attempts: readonly DeliveryAttempt[]
  /** Attempts that moved the delivery on; of two that ran beside each other only one does. */
  readonly tries: number
  /** Those of {@link tries} that were made before the delivery was last opened again. */
  readonly earlierTries: number
  /** The moment that the last of {@link tries} was planned for, epoch milliseconds; absent before the first. */
  readonly triedFor?: number | undefined
  /** When the next attempt is due, epoch milliseconds; absent once it has ended. Changes with every plan of one. */
  readonly nextAttemptAt?: number | undefined
  /** Runs that began to send and whose end is not on record: the name of each to when it began. */
  readonly begun: Readonly<Record<string, number>>
}

/** One attempt to deliver. */
export interface DeliveryAttempt {
  /** Epoch milliseconds. */
  readonly at: number
  /** The HTTP status; absent when no answer came. */
  readonly status?: number | undefined
  readonly durationMs: number
  /** Why it failed; absent on success. */
  readonly reason?: string | undefined
  /** The first 1 KiB of the answer. */
  readonly replySnippet?: string | undefined
}

/** What the connector last told of itself and its engine. */
export interface ConnectorReport {
  readonly connectorId: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Epoch milliseconds; a report older than 30 s counts as silence. */
  readonly reportedAt: number
  readonly version: string
  /** Whether both links to an engine are up; of several engines, to one at least. */
  readonly engineConnected: boolean
  /** Epoch milliseconds of the last byte from the engine; 0 when none came yet. */
  readonly engineHeardAt: number
  /** The engine's `Core-UUID`; empty when unknown. */
  readonly engineId: string
  /** The engine's own multi-line status text; empty when unknown. */
  readonly engineStatus: string
  /** Commands that wait for an answer. */
  readonly commandsInFlight: number
  /** Commands that wait to be sent. */
  readonly commandsWaiting: number
  /** Starts of this connector since the deployment, less one. */
  readonly restarts: number
  /** Each engine that it has links to, in the order of its settings; absent in reports of before it was told. */
  readonly engines?: readonly EngineReport[] | undefined
  /** How far its reading of each engine's events had come; absent in reports of before it was told. */
  readonly eventLinks?: readonly EventLinkReport[] | undefined
  /**
   * Every event that it read before this moment, epoch milliseconds, has been queued, or its loss recorded; absent as
   * above.
   */
  readonly handedOverTo?: number | undefined
  /** Every event that it read before this moment, epoch milliseconds, has been queued or is on its disk; absent as above. */
  readonly keptTo?: number | undefined
  /** Where its events wait; absent in memory only, and as above. */
  readonly spool?: SpoolReport | undefined
  /**
   * When it began to stop in order, epoch milliseconds; absent while it runs, and when it was killed. It goes on reading
   * and handing over for a while, and tells how that ended by a last report with the same moment.
   */
  readonly stoppedAt?: number | undefined
}

/** Whose a connector's place on disk is. */
export interface SpoolReport {
  /** Names the process and, where that is known, its machine: `<pid>-<start>-<boot>-<pid namespace>`. */
  readonly owner: string
  /** Owners of before whose events it has taken over; the newest 20. */
  readonly taken: readonly string[]
  /** Events that it left there when its stop was over; only the last report of an orderly stop tells it. */
  readonly left?: number | undefined
}

/** What a connector tells of one engine. */
export interface EngineReport {
  /** `host:port`. */
  readonly name: string
  /** Its `Core-UUID`; empty when unknown. */
  readonly coreUuid: string
  /** Whether both links to it are up. */
  readonly connected: boolean
  /** Epoch milliseconds of the last byte from it; 0 when none came yet. */
  readonly heardAt: number
  /** Its own multi-line status text; empty when unknown. */
  readonly status: string
  /** Channels that it held when it was last heard; absent while that is not known. */
  readonly channels?: number | undefined
}

/** How far a connector's reading of one engine's events has come. */
export interface EventLinkReport {
  /** The engine's name. */
  readonly engine: string
  /** Of the newest event, and of the process of the engine that it came from; empty before the first. */
  readonly last: EventPosition
  /** Since when the link has been up without a break, epoch milliseconds; 0 while it is down. */
  readonly upSince: number
  /**
   * From when on events of the engine were missed or given up that no gap is on record for yet, epoch milliseconds: while
   * it is down, since it was last heard. Absent where there are none, and before it was ever up.
   */
  readonly lostAt?: number | undefined
  /**
   * By the engine's own clock, epoch milliseconds: every event that it told before this moment has been queued. Absent
   * before the first, and in reports of before it was told.
   */
  readonly handedOverTo?: number | undefined
}

/** Names an event of an engine's process. Sequences identify; they neither order nor count. */
export interface EventPosition {
  /** Empty when unknown. */
  readonly coreUuid: string
  /** Empty when unknown. */
  readonly sequence: string
}

/** A time in which events of an engine may have been missed, or were dropped. */
export interface Gap {
  /** Derived from whose gap it is, the engine, the reason and the beginning: one gap is recorded once. */
  readonly id: string
  /** The connector that missed the events. */
  readonly connectorId: string
  /** The connector that tells of it: another one when the first was killed. */
  readonly recordedBy: string
  /** The engine's name; empty for events that were dropped whatever engine they came from. */
  readonly engine: string
  /**
   * Why the link was lost, in its own words, or `engine-restarted`, `connector-killed`, `connector-stopped`, `spool-lost`,
   * `unreadable`, `dropped`.
   */
  readonly reason: string
  /** Epoch milliseconds. */
  readonly from: number
  /** Epoch milliseconds. */
  readonly to: number
  /** The last event before. */
  readonly before: EventPosition
  /** The first event after. */
  readonly after: EventPosition
  /** What was dropped, where that was counted. */
  readonly dropped?: { readonly class: string; readonly count: number } | undefined
}

/** A gap and when it became known. */
export interface RecordedGap extends Gap {
  /** Epoch milliseconds. */
  readonly recordedAt: number
}
