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
