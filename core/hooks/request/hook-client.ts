/** A request of a hook, ready to be sent. */
export interface HookRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Names of the headers in which letters of the event became `?`; absent for none. */
  readonly replaced?: readonly string[]
}

/** The end of a request. */
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

/** The one HTTP client for tenants' URLs: no redirects, guarded addresses, bounded size and time. */
export interface HookClient {
  send(request: HookRequest): Promise<HookReply>
}
