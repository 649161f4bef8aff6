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
  readonly note?: string | undefined
}

/** A line of the trail and its position. */
export interface AuditEntry extends AuditRecord {
  /** Opaque; marks the start of the next page. */
  readonly position: string
}

/** The requested part of a domain's trail. */
export interface AuditRange {
  /** Epoch milliseconds; nothing earlier is shown. */
  readonly since: number
  readonly after?: string | undefined
  readonly newestFirst: boolean
  /** 1 to 1000. */
  readonly limit: number
}

/** The append-only trail of changes and their authors. */
export interface AuditLog {
  append(record: AuditRecord): Promise<void>
  /** Lists lines of a domain in the order of their time. Fewer lines than the limit mean that there are no more. */
  list(domain: string, range: AuditRange): Promise<AuditEntry[]>
}
