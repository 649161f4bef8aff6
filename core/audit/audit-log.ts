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
