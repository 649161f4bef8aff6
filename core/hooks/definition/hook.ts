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
  /** Whether values are written into forms and XML without being escaped; absent: they are escaped. */
  readonly rawSubstitution?: boolean | undefined
  /** How many attempts follow a failed first one, 0 to 10. */
  readonly retries: number
  /** Seconds; absent: the standard waits. */
  readonly delay?: number | undefined
  /** Signing secrets, newest first, each encrypted at rest. A rotated-out one signs until its `until`. */
  readonly secrets: readonly HookSecret[]
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly disabledReason?: string | undefined
  /** Whether its owner must still be notified that the platform switched it off. */
  readonly noticeDue?: boolean | undefined
  /** How often a mail about that could not be sent; absent for never. */
  readonly noticeTries?: number | undefined
  /** Deliveries that failed for good since the last success or change; absent for none. */
  readonly failures?: number | undefined
  /** When the first of {@link failures} was, epoch milliseconds. */
  readonly failingSince?: number | undefined
  readonly lastFailure?: string | undefined
  /** When its receiver was found to be late, epoch milliseconds. For a while, its first attempts wait in the queue. */
  readonly lateAt?: number | undefined
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
  /** Identifies the rotation that made it; absent for the one that the hook was made with. */
  readonly id?: string | undefined
  /** 32 bytes, sealed by the {@link SecretBox} port; base64. */
  readonly sealed: string
  /** Epoch milliseconds after which it signs no more; absent for the current one. */
  readonly until?: number | undefined
}
