/** An event of the platform, on its way to the hooks. */
export interface PlatformEvent {
  /**
   * `Core-UUID:Event-Sequence` for an engine event, `Core-UUID:uuid:Event-Name` for an event that a call has once in
   * its life (creation, answer, end); for any other event derived from its cause.
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
  /** The fields as JSON, as they are queued. Where it is present, `fields` parses it anew at each access. */
  readonly fieldsText?: string | undefined
  /** The id of the API request that caused it; absent where none did, or where that is not known. */
  readonly requestId?: string | undefined
  /** The consumer of the event: by default the functions that match it against hooks, or the index of CDRs. */
  readonly reader?: 'cdr' | undefined
}

/** An event with its number in its domain's log. */
export interface LoggedEvent {
  /** 1 for the domain's first; rises by one with each. */
  readonly sequence: number
  /** The time at which it was numbered, epoch milliseconds. */
  readonly loggedAt: number
  /**
   * The preceding time, epoch milliseconds, in which the domain may have had no hook: from the previous event (0 if
   * there is none) until the creation of the oldest present hook. Absent if one of its hooks is older than that event.
   */
  readonly unwatched?: { readonly from: number; readonly to: number } | undefined
  readonly event: PlatformEvent
}
