/** An example of an operation: what was sent to it and what it answered. */
export interface Example {
  readonly request?: unknown
  readonly answer?: unknown
}

/** Recorded requests and answers. */
export interface Examples {
  /** By the ids of their operations. */
  readonly operations: Readonly<Record<string, Example>>
  /** The bodies of refusals, by their codes. */
  readonly refusals: Readonly<Record<string, unknown>>
}
